;;;; Reading and evaluating, form by form, so that a form may change how the next one is read.

(in-package :hawser-worker)

(defun call-in-session (job stdin function)
  "Calls FUNCTION as evaluated code is called. Returns NIL, (:INTERRUPTED), (:EXIT code), (:ABORTED) or (:FAILED failure)."
  (let* ((*standard-output* *stdout*)
         (*error-output* *stderr*)
         (*trace-output* *stdout*)
         (*standard-input* (make-string-input-stream stdin))
         (*terminal-io* (make-two-way-stream *standard-input* *stdout*))
         (*query-io* *terminal-io*)
         (*debug-io* *terminal-io*)
         (*job* job)
         (*printing* nil))
    (catch job
      (unwind-protect
           (progn
             (setf *running* job)
             (with-debugger-hook (#'enter-debugger)
               (call-refusing-exit (lambda () (call-with-abort-restart job function)))))
        (setf *running* nil)))))

(defun call-with-abort-restart (job function)
  (restart-case
      (progn
        (setf (job-abort-restart job) (find-restart 'abort))
        (handler-bind ((warning #'collect-warning)
                       (compiler-failure #'collect-compiler-failure))
          (funcall function))
        nil)
    (abort ()
      :report (lambda (stream)
                (write-string (if *attached* "Stop what the agent evaluates, and nothing else." "Abandon this evaluation.")
                              stream))
      '(:aborted))))

(defun enter-debugger (condition hook)
  "Replaces the debugger of the Lisp: every way out of it leads back to the worker."
  (declare (ignore hook))
  (cond ((not (in-worker-thread-p)) (give-up-thread condition))
        (*printing* (throw *printing* condition))
        ((null *job*) (throw 'idle nil))
        ((no-room-to-describe-p condition) (throw *job* (list :failed condition)))
        (t (let ((job *job*))
             (with-debugger-hook (#'fail-plainly)
               (setf (job-failure job) (describe-failure condition job)))
             (if (eq (job-on-error job) :break)
                 (debug-failure job)
                 (throw job (list :failed condition)))))))

(defun fail-plainly (condition hook)
  "Describing the error failed too."
  (declare (ignore hook))
  (let ((job *job*))
    (unless (job-failure job)
      (setf (job-failure job)
            (make-failure :type "CONDITION" :types (list "CONDITION") :phase (job-phase job) :form (job-form job)
                          :message "An error occurred and could not be described.")))
    (throw job (list :failed condition))))

(defun give-up-thread (condition)
  (write-string (concatenate 'string "A thread ended: " (symbol-text (type-of-condition condition)) ": "
                             (condition-text condition 1000) (string #\Newline))
                *stderr*)
  (end-this-thread))

(defun evaluate-text (job text phase &optional (evaluator #'evaluate-form))
  "Evaluates all of TEXT. The values of the last form stay in JOB."
  (prepare-packages-named-in text)
  (let ((stream (make-string-input-stream text))
        (end (list nil)))
    (setf (job-text job) text (job-counted job) '(0 . 1) (job-stream job) stream (job-values job) '())
    (loop for number from 1
          do (setf (job-phase job) :read
                   (job-form job) number
                   (job-form-start job) (skip-blanks text (file-position stream)))
             (let ((form (read-form stream end)))
               (when (eq form end) (return))
               (setf (job-phase job) phase (job-package job) *package*
                     (job-form-start job) (chosen-form-start text (job-form-start job) (file-position stream)))
               (setf (job-values job) (multiple-value-list (funcall evaluator form)))
               (ignore-errors (note-definitions form job))
               (mend-session)))
    (setf (job-text job) nil (job-form job) nil (job-form-start job) nil (job-phase job) phase)))

(defun read-form (stream end)
  (let ((form (read stream nil end)))
    (if (eq form end) end form)))

(defun evaluate-form (form)
  "Evaluates FORM as a read-eval-print loop does: * + / and - are set."
  (setf - form)
  (let ((values (multiple-value-list (eval form))))
    (shiftf /// // / values)
    (shiftf *** ** * (first values))
    (shiftf +++ ++ + form)
    (values-list values)))

(defconstant +max-values+ 50 "How many values are shown.")

(defun print-values (job)
  "The texts of the values that JOB has."
  (setf (job-phase job) :print)
  (let ((count (length (job-values job))))
    (when (> count +max-values+)
      (note-warning (concatenate 'string (decimal +max-values+) " of " (decimal count)
                                 " values are shown. Collect the others with MULTIPLE-VALUE-LIST."))))
  (loop for value in (job-values job)
        repeat +max-values+
        collect (multiple-value-bind (text complaint cut) (value-text value (job-value-limit job))
                  (when complaint (note-warning complaint))
                  (when (and cut (job-cut-advice job))
                    (note-warning (concatenate 'string "The first " (decimal (job-value-limit job))
                                               " characters of a value are shown. " (job-cut-advice job))))
                  text)))

;;; Packages.

(defun package-named (written)
  (let ((name (bare-name written)))
    (prepare-package-named name)
    (or (find-package name)
        (find-package (string-upcase name))
        (error 'unknown-package
               :package name
               :message (concatenate 'string "There is no package named " name ".")))))

(defun bare-name (text)
  "The name of a package or a system that may be written as in code: :NAME, #:NAME, 'NAME or a string."
  (string-trim " \"'" (string-left-trim " ':#" text)))

(defun call-in-package (name function)
  (if name
      (let ((*package* (package-named name))) (funcall function))
      (funcall function)))

(defun list-reader (readtable)
  "The functions that read lists with READTABLE."
  (list (get-macro-character #\( readtable) (get-macro-character #\) readtable)))

(defvar *list-readers* (list (list-reader (copy-readtable nil))) "What has read a list: the standard reader first, then the last other one.")
(defvar *broken-list-reader* nil "What could not read a list, or is being tried.")

(defun reads-lists-p (readtable)
  "Whether READTABLE can read a list. Other readers than the standard one, such as Coalton's, are tried."
  (let ((reader (list-reader readtable)))
    (cond ((member reader *list-readers* :test #'equal) t)
          ((equal reader *broken-list-reader*) nil)
          (t
           ;; Set first: it may never return.
           (setf *broken-list-reader* reader)
           (when (equal '(1 2) (ignore-errors (let ((*readtable* readtable) (*read-base* 10) (*read-suppress* nil))
                                                (read-from-string "(1 2)"))))
             (setf *broken-list-reader* nil
                   *list-readers* (list (first *list-readers*) reader))
             t)))))

(defvar *usual-package* "COMMON-LISP-USER" "The package of a session that has lost its own.")

(defun mend-session ()
  "Undoes changes that would make the next evaluation impossible, and no others."
  (unless (and (packagep *package*) (package-name *package*))
    (setf *package* (or (find-package *usual-package*)
                        (make-package *usual-package* :nicknames '("CL-USER") :use '("COMMON-LISP"))))
    (note-warning (concatenate 'string "The current package was deleted; it is now " (package-name *package*) ".")))
  (unless (and (readtablep *readtable*) (reads-lists-p *readtable*))
    (setf *readtable* (copy-readtable nil))
    (note-warning "The readtable could no longer read lists; the standard one is back."))
  (when *read-suppress*
    (setf *read-suppress* nil)
    (note-warning "*READ-SUPPRESS* is NIL again.")))
