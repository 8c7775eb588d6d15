(defpackage :word-count
  (:use :cl)
  (:export #:words #:counts #:most-frequent))
