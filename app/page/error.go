package page

type errorView struct {
	Frame
	Heading    string
	Message    string
	RequestID  string // only for failures of ours
	OfferLogin bool
}
