# Record what R prints for the page on rpart: Rscript docs/coming_from/record.R
#
# Run it from the root of the repository. The files here come from R 4.2 with rpart 4.1.19. Folds are given, so that
# nothing is random.

library(rpart)
stopifnot(packageVersion("rpart") == "4.1.19")
record <- function(name, code) {
  capture.output(code, file = file.path("docs/coming_from/recorded", paste0(name, ".txt")))
}

pima <- read.csv("src/spinney/datasets/data/pima_indians_diabetes.csv", stringsAsFactors = TRUE)
folds <- (seq_len(nrow(pima)) - 1) %% 10 + 1
fit <- rpart(class ~ ., pima, method = "class", control = rpart.control(cp = 0.02, xval = folds))
record("rpart_print", print(fit))
record("rpart_printcp", printcp(fit))
record("rpart_summary", summary(prune(fit, cp = 0.1)))
record("rpart_path", path.rpart(fit, nodes = 6))
record("rpart_predict", {
  print(predict(fit, pima[1:2, ]))
  print(predict(fit, pima[1:2, ], type = "class"))
})
