;;;; The commands that the server sends.

(in-package :hawser-worker)

;;; The limits are characters: of output, and of each value.
(defstruct command id kind output-limit value-limit arguments)

(defvar *keywords* (find-package :keyword))
