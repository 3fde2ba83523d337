package app

import "hearth/app/account"

// Account gives tests access to operations without a transport.
func (a *App) Account() *account.Service { return a.account }
