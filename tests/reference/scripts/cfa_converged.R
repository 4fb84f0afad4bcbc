# Reference values that the files of json/ leave out, or for which lavaan's default search stops early.
# Rscript cfa_converged.R FOLDER_OF_DATA OUT.json ; lavaan 0.6-14 on R 4.2.2 (Debian 12).
suppressPackageStartupMessages({library(lavaan); library(jsonlite)})
arg <- commandArgs(TRUE); rd <- function(f) read.csv(file.path(arg[1], f))
tight <- list(reltol = 1e-16, maxit = 20000)
fm <- function(fit) { x <- fitMeasures(fit); x <- x[!is.na(x)]; as.list(setNames(as.numeric(x), names(x))) }
pe <- function(fit) { d <- as.data.frame(parameterEstimates(fit, standardized = TRUE)); as.list(d[, intersect(c("lhs","op","rhs","group","est","se","std.all"), names(d))]) }
one <- function(fit) list(fit = fm(fit), params = pe(fit))
mat <- function(m) list(data = unname(as.matrix(unclass(m))), rows = rownames(m), cols = colnames(m))
hs <- rd("hs1939.csv"); hsm <- rd("hs1939_missing.csv"); q <- rd("pmq18.csv"); qg <- rd("pmq18_groups.csv")
m <- "visual =~ x1+x2+x3\ntextual =~ x4+x5+x6\nspeed =~ x7+x8+x9"
nm <- names(q)
mq <- paste0("f1 =~ ", paste(nm[1:6], collapse="+"), "\nf2 =~ ", paste(nm[7:12], collapse="+"), "\nf3 =~ ", paste(nm[13:18], collapse="+"))
steps <- list(configural="", metric="loadings", scalar=c("loadings","intercepts"), strict=c("loadings","intercepts","residuals"))
r <- list()
for (e in c("ML", "MLR")) {
  r[[paste0("hs1939_", e)]] <- lapply(steps, function(ge) one(cfa(m, hs, group="school", group.equal=ge, estimator=e, optim.method="BFGS", control=tight)))
  r[[paste0("pmq18_", e)]] <- lapply(steps, function(ge) one(cfa(mq, qg, group="group", group.equal=ge, estimator=e, optim.method="BFGS", control=tight)))
  r[[paste0("hs1939_fiml_", e)]] <- lapply(steps[1:3], function(ge) one(cfa(m, hsm, group="school", group.equal=ge, estimator=e, missing="fiml", optim.method="BFGS", control=tight, em.h1.tol=1e-13, em.h1.iter.max=20000)))
}
r$one_factor <- one(cfa("g =~ x1+x2+x3+x4+x5+x6+x7+x8+x9", hs, optim.method="BFGS", control=tight))
r$MLM_groups_scalar <- one(cfa(m, hs, group="school", group.equal=c("loadings","intercepts"), estimator="MLM", optim.method="BFGS", control=tight))
r$fiml <- one(cfa(m, hsm, missing="fiml", optim.method="BFGS", control=tight, em.h1.tol=1e-13, em.h1.iter.max=20000))
r$fiml_mlr <- one(cfa(m, hsm, missing="fiml", estimator="MLR", optim.method="BFGS", control=tight, em.h1.tol=1e-13, em.h1.iter.max=20000))
a <- cfa(m, hs, group="school", group.equal="loadings", estimator="MLR", optim.method="BFGS", control=tight)
b <- cfa(m, hs, group="school", group.equal=c("loadings","intercepts"), estimator="MLR", optim.method="BFGS", control=tight)
# The strictly positive test wants models nested in their parameters: the metric model holds the factors' means at
# the scalar model's estimates, which changes nothing of what it can imply.
k <- coef(b)[c("visual~1.g2", "textual~1.g2", "speed~1.g2")]
held <- paste0(m, "\nvisual ~ c(0,", k[1], ")*1\ntextual ~ c(0,", k[2], ")*1\nspeed ~ c(0,", k[3], ")*1")
a2 <- cfa(held, hs, group="school", group.equal="loadings", estimator="MLR", optim.method="BFGS", control=tight)
r$lrt_2010 <- as.list(as.data.frame(lavTestLRT(a2, b, method="satorra.bentler.2010")))
r$lrt_2001 <- as.list(as.data.frame(lavTestLRT(a, b, method="satorra.bentler.2001")))
a <- cfa(m, hs, estimator="MLM", optim.method="BFGS", control=tight); b <- cfa(m, hs, estimator="MLM", orthogonal=TRUE, optim.method="BFGS", control=tight)
r$lrt_mlm_2010 <- as.list(as.data.frame(lavTestLRT(a, b, method="satorra.bentler.2010")))
f <- cfa(m, hs, optim.method="BFGS", control=tight)
mi <- modindices(f); r$modindices <- as.list(as.data.frame(mi))
r$residuals_cor <- mat(lavResiduals(f, type="cor.bollen", se=TRUE)$cov)
r$residuals_z <- mat(residuals(f, type="standardized")$cov)
r$scores_regression <- unname(lavPredict(f)[1:40,]); r$scores_bartlett <- unname(lavPredict(f, method="Bartlett")[1:40,])
g4 <- cfa(mq, qg, group="group", group.equal=c("loadings","intercepts"), optim.method="BFGS", control=tight)
st <- lavTestScore(g4)$uni; pt <- parTable(g4)
key <- function(l) { i <- match(l, pt$plabel); paste(pt$lhs[i], pt$op[i], pt$rhs[i], pt$group[i]) }
r$score_tests <- list(lhs=key(st$lhs), rhs=key(st$rhs), X2=st$X2)
mimic <- paste0(m, "\nvisual ~ sex + ageyr\ntextual ~ sex\nspeed ~ ageyr\nx3 ~ sex")
r$mimic_model <- mimic
r$mimic <- one(cfa(mimic, hs, optim.method="BFGS", control=tight)); r$mimic_mlr <- one(cfa(mimic, hs, estimator="MLR", optim.method="BFGS", control=tight))
r$mimic_fiml <- one(cfa(mimic, hsm, missing="fiml", optim.method="BFGS", control=tight, em.h1.tol=1e-13, em.h1.iter.max=20000))
lab <- "visual =~ x1 + a*x2 + b*x3\ntextual =~ x4 + c*x5 + 0.9*x6\nspeed =~ NA*x7 + x8 + x9\nspeed ~~ 1*speed\nx7 ~~ x8\nvisual ~~ 0*speed\na == b\nx1 ~ 1\nx9 ~~ v*x9\nx8 ~~ v*x8"
r$labels_model <- lab; r$labels <- one(cfa(lab, hs, optim.method="BFGS", control=tight))
r$std_solution <- as.list(as.data.frame(standardizedSolution(f)))
write(toJSON(list(made_by="cfa_converged.R", R=paste(R.version$major, R.version$minor, sep="."), packages=list(lavaan="0.6.14"), values=r), digits=10, auto_unbox=TRUE, na="null"), arg[2])
