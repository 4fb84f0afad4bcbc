# Loads every table of this folder into a list, with the types of codebook.csv. Base R only.
# Usage: setwd(<this folder>); source("load.R"); str(tables$sessions)

# R reads a carriage return inside a cell as a line feed; where a file has any, they stand aside meanwhile.
read_cells <- function(file) {
  text <- readChar(file, file.info(file)$size, useBytes = TRUE)
  Encoding(text) <- "UTF-8"
  returns <- grepl("\r", text, fixed = TRUE)
  aside <- "\ue00d"
  x <- if (returns) {
    read.csv(text = gsub("\r", aside, text, fixed = TRUE), colClasses = "character", na.strings = "",
             encoding = "UTF-8", check.names = FALSE)
  } else {
    read.csv(file, colClasses = "character", na.strings = "", encoding = "UTF-8", check.names = FALSE)
  }
  if (returns) x[] <- lapply(x, function(column) gsub(aside, "\r", column, fixed = TRUE))
  x
}

codebook <- read_cells("codebook.csv")
read_table <- function(name) {
  file <- list.files("data", pattern = paste0("_description-", name, "_data\\.csv$"), full.names = TRUE)
  x <- read_cells(file)
  types <- codebook[codebook$table == name, ]
  for (i in seq_len(nrow(types))) {
    column <- types$column[i]
    x[[column]] <- switch(types$type[i],
      integer = as.numeric(x[[column]]),
      number = as.numeric(x[[column]]),
      boolean = x[[column]] == "true",
      datetime = as.POSIXct(x[[column]], format = "%Y-%m-%dT%H:%M:%OSZ", tz = "UTC"),
      x[[column]])
  }
  x
}
tables <- sapply(unique(codebook$table), read_table, simplify = FALSE)
