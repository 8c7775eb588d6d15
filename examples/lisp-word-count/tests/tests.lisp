(defpackage :word-count/tests
  (:use :cl :fiveam :word-count))

(in-package :word-count/tests)

(def-suite :word-count)
(in-suite :word-count)

(test words
  (is (equal '("a" "rose" "is" "a" "rose") (words "A rose is a rose."))))

(test most-frequent
  (is (equal '(("b" . 2)) (most-frequent "a b b" 1)))
  (is (null (most-frequent "" 5))))
