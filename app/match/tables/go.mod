module hearth/app/match/tables

go 1.26.0

require hearth v0.0.0

require (
	github.com/blevesearch/snowballstem v0.9.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	gonum.org/v1/gonum v0.17.0
)

replace hearth => ../../..
