;;;; The last thing to be loaded.

(in-package :hawser-worker)

(defun seal ()
  "Deletes the package of the worker. Returns a function that starts it, in its :OWN process group or in the one :GIVEN."
  (prepare-image)
  (when *exercise-pays* (exercise))
  (let ((start (lambda (&optional (group :own)) (call-afresh (lambda () (main group))))))
    (setf *package* (find-package :common-lisp-user))
    (delete-package :hawser-worker)
    start))

(defun exercise ()
  "Evaluates once, so that generic functions have computed their methods before the first real evaluation."
  (let ((job (make-job :id 0)))
    (limit-output 0)
    (call-in-session job "" (lambda ()
                              (write-char #\Space)
                              (evaluate-text job "(list 1 1.5 \"a\" 'b #\\c (vector 1) (find-package :cl))" :evaluate)
                              (print-values job)
                              (format t "~a" 1)
                              (collect-warning (make-condition 'simple-warning :format-control "none"))))
    (call-in-session job "" (lambda () (error "Nothing is wrong.")))
    (json-line (failure-json (job-failure job)) (make-buffer))
    (take-rest-of-output *stdout*)
    (take-rest-of-output *stderr*)
    (setf - nil + nil ++ nil +++ nil * nil ** nil *** nil / nil // nil /// nil)))
