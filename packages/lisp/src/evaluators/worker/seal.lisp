;;;; The last thing to be loaded.

(in-package :hawser-worker)

(defun seal ()
  "Takes the names away from the worker. Returns what starts it."
  (let ((start #'main))
    (setf *package* (find-package :common-lisp-user))
    (delete-package :hawser-worker)
    start))
