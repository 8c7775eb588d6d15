(in-package :word-count)

(defun words (text)
  "The words of TEXT, in lower case."
  (ppcre:all-matches-as-strings "\\w+" (string-downcase text)))
