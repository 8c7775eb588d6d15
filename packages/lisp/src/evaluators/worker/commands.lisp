;;;; The commands that the server sends.

(in-package :hawser-worker)

;;; The limits are characters: of output, and of each value. CODE is the code to evaluate, if that is asked for.
(defstruct command id kind output-limit value-limit arguments code)

(defvar *keywords* (find-package :keyword))
