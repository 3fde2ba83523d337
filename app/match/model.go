package match

// model has the weights of the features, by logistic regression on testdata/matching/develop and train*.txt, with
// further features that the sets do not need. go test ./app/match -run Fit -update fits it again.
var model = [featureCount]float64{
	-4.844, -0.145, 0.064, 0.678, 1.347, -0.545, 0.774, -0.071,
	0.625, -0.341, -0.127, -0.116, 0.466, -0.474, 0.544, 0.272,
	0.412, -0.534, -0.066, 0.281, 0.107, -0.408, -1.500, -0.500,
	-0.286, -1.329, -1.801, -1.024, 0.032, 0.830, 1.076, 0.451,
	0.717, 0.947, 1.891, 0.135, -0.030, -0.193, 0.866, 0.062,
	-0.485, -0.315,
}
