package app

import "hearth/app/account"

// Account gives tests what no door offers: sign-in without a mail.
func (a *App) Account() *account.Service { return a.account }
