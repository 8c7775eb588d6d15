;;;; What is defined: lists of symbols and what they name.

(in-package :hawser-worker)
