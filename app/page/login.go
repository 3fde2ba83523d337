package page

type loginView struct {
	Frame
	Form Form
	Next string // where signing in leads, a path of this server
}

type loginCodeView struct {
	Frame
	Form    Form
	Email   string
	LogOnly bool // the server sends no mail
}

type loginVerifyView struct {
	Frame
	Form  Form
	Token string // "" when the link is used up
}

type claimView struct {
	Frame
	Form  Form
	Token string // "" when the server has an owner
}
