;;;; Calls of traced functions, kept as data for the outcome of the operation that made them.

(in-package :hawser-worker)

(defconstant +max-calls+ 200 "How many events of traced functions are kept.")

(defvar *traced* '() "An alist of traced functions: names and what undoes the trace.")
(defvar *trace-depth* 0 "How many traced functions have been entered.")
(defvar *noting* nil "True while a call is recorded, because recording it may call a traced function.")

(defun trace-functions (names)
  (dolist (symbol (mapcar #'symbol-called names))
    (when (or (not (fboundp symbol)) (macro-function symbol) (special-operator-p symbol))
      (refuse (symbol-text symbol) " names no function."))
    (unless (assoc symbol *traced*)
      (push (cons symbol (watch-function symbol (tracer symbol))) *traced*)))
  (report-traced))

(defun untrace-functions (names)
  (let ((symbols (if names (mapcar #'symbol-called names) (mapcar #'car *traced*))))
    (dolist (symbol symbols)
      (let ((entry (assoc symbol *traced*)))
        (when entry
          (funcall (cdr entry))
          (setf *traced* (remove entry *traced*)))))
    (report-traced)))

(defun report-traced ()
  (report-findings (loop for (symbol) in *traced* collect (finding "traced" (symbol-text symbol)))))

(defun tracer (symbol)
  "Called with the original function and its arguments."
  (lambda (original arguments)
    (if (or (null *job*) *printing* *noting*)
        (apply original arguments)
        (let ((depth *trace-depth*) (returned nil))
          (note-call depth "call" (lambda () (outline (cons symbol arguments) 500)))
          (unwind-protect
               (let ((values (multiple-value-list (let ((*trace-depth* (1+ depth))) (apply original arguments)))))
                 (setf returned t)
                 (note-call depth "return"
                            (lambda () (join-texts (mapcar (lambda (value) (outline value 300)) values) ", ")))
                 (values-list values))
            (unless returned (note-call depth "exit" (lambda () (symbol-text symbol)))))))))

(defun note-call (depth kind make-text)
  (let ((job *job*) (*noting* t))
    (when (<= (incf (job-call-count job)) +max-calls+)
      (push (list :object "depth" depth "kind" kind "text" (funcall make-text)) (job-calls job)))))
