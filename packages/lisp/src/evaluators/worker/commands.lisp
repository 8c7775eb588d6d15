;;;; What the worker is asked.

(in-package :hawser-worker)

(defstruct command id kind arguments)

(defvar *keywords* (find-package :keyword))
