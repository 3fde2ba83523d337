// Options of html-validate. It does not know yet that a link of the relation expect
// may block rendering (HTML, "Link type expect").
module.exports = {
  root: true,
  extends: ['html-validate:standard'],
  elements: ['html5', { link: { attributes: { blocking: { list: true, enum: ['render'], allowed: () => null } } } }],
  rules: { 'no-implicit-button-type': 'off' },
};
