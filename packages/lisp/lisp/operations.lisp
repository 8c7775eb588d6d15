;;;; The operations of an evaluator, by name.

(in-package :hawser-worker)

(defun perform-operation (job kind command)
  (let ((arguments (command-arguments command)))
    (flet ((argument (name) (getf arguments name)))
      (setf (job-offset job) (getf arguments :offset 0)
            (job-limit job) (getf arguments :limit +default-limit+))
      (case kind
        (:evaluate (if (eq (job-on-error job) :break)
                       (call-debuggably (lambda () (evaluate-text job (command-code command) :evaluate)))
                       (evaluate-text job (command-code command) :evaluate)))
        (:load-file (load-file job (argument :path)))
        (:set-projects (set-projects (argument :folders)))
        (:load-system (load-system job (argument :system)))
        (:test-system (test-system job (argument :system)))
        (:macroexpand (macroexpand-text job (argument :form) (argument :depth)))
        (:compile (compile-text job (argument :form)))
        (:disassemble (disassemble-text job (argument :form)))
        (:profile (profile-text job (command-code command)))
        (:inspect (cond ((argument :part) (inspect-part job (argument :part)))
                        ((argument :form) (inspect-text job (argument :form)))
                        (t (inspect-back job))))
        (:trace (trace-functions (argument :functions)))
        (:untrace (untrace-functions (argument :functions)))
        (:undefine (undefine-symbol (argument :symbol) (argument :what)))
        (:open-swank (open-swank (argument :secret)))
        (:debug (perform-debugging command))
        (t (look-up kind #'argument))))))

(defun look-up (kind argument)
  "The operations that change nothing. None of them calls the reader on its arguments, so #. is never evaluated."
  (flet ((argument (name) (funcall argument name)))
    (ecase kind
      (:list-definitions (list-definitions))
      (:describe-symbol (describe-symbol (argument :symbol)))
      (:find-definition (find-definitions (argument :symbol)))
      (:find-references (find-references (argument :symbol) (argument :relation)))
      (:apropos (apropos-symbols (argument :text) (argument :package)))
      (:complete-symbol (complete-symbol (argument :prefix))))))

(defun read-one-form (job text)
  "The only form in TEXT."
  (prepare-packages-named-in text)
  (let ((stream (make-string-input-stream text)) (end (list nil)))
    (setf (job-phase job) :read
          (job-text job) text
          (job-stream job) stream
          (job-form job) 1
          (job-form-start job) (skip-blanks text 0))
    (let ((form (read stream nil end)))
      (when (eq form end) (refuse "The text has no form. Give one."))
      (setf (job-form job) 2 (job-form-start job) (skip-blanks text (file-position stream)))
      (unless (eq (read stream nil end) end) (refuse "The text has more than one form. Give them one by one."))
      (setf (job-form job) 1 (job-form-start job) (skip-blanks text 0))
      form)))

(defun macroexpand-text (job text depth)
  (let ((form (read-one-form job text)))
    (setf (job-phase job) :compile
          (job-values job) (list (ecase depth
                                   (:once (macroexpand-1 form))
                                   (:full (macroexpand form))
                                   (:all (expand-everything form)))))))

(defun compile-text (job text)
  "Compiles the form, which is not run, and reports what the compiler says of it."
  (let ((form (read-one-form job text)))
    (setf (job-phase job) :compile
          (job-limit job) +max-limit+)
    (report-findings
     (loop for (kind message position) in (compiler-remarks form text (job-form-start job))
           collect (finding kind message nil
                            (multiple-value-bind (line column) (line-and-column text position)
                              (make-place :line line :column column)))))))

(defun compiler-remarks (form text start)
  "What the compiler says of FORM, read from TEXT at START: lists of a kind, a message and a position."
  (let ((remarks '()))
    (compile-form form
                  (lambda (kind remark path)
                    (push (list kind
                                (if (stringp remark)
                                    remark
                                    (let ((*package* (job-package *job*))) (condition-text remark 1000)))
                                (or (position-in-text text start path) start))
                          remarks)))
    (remove-duplicates (nreverse remarks) :test #'equal)))

(defun disassemble-text (job text)
  "The machine code of a function, given by its name, or by a form whose value it is."
  (let ((form (read-one-form job text)))
    (setf (job-phase job) :compile)
    (write-string (cond ((and (symbolp form) (macro-function form)) (disassembly (macro-function form)))
                        ((and (symbolp form) (fboundp form)) (disassembly (fdefinition form)))
                        ((and (consp form) (eq (first form) 'lambda)) (disassembly (function-of-lambda form)))
                        (t (let ((value (eval form)))
                             (disassembly (if (functionp value) value (function-of-lambda `(lambda () ,form))))))))))

(defun disassembly (function) (with-output-to-string (*standard-output*) (disassemble function)))

(defun profile-text (job text)
  (multiple-value-bind (values rows)
      (profile-call (lambda () (evaluate-text job text :evaluate) (values-list (job-values job))))
    (setf (job-values job) values)
    (report-findings (loop for (name self total) in rows
                           collect (finding "function" name
                                            (concatenate 'string "self " self " %, total " total " %"))))))

(defun load-file (job path)
  (setf (job-phase job) :load)
  (let* ((native (native-path path))
         (truth (or (probe-file native)
                    (refuse "There is no file " path ". Relative paths start at "
                            (native-name *default-pathname-defaults*) "."))))
    (unless (pathname-name truth) (refuse path " is a folder. Give the path of a file."))
    (if (member (pathname-type truth) '("fasl" "fas") :test #'equalp)
        (load truth)
        (let ((*load-pathname* (merge-pathnames native)) (*load-truename* truth)
              (*package* *package*) (*readtable* *readtable*))
          (setf (job-file job) (native-name truth))
          (load-text job (utf-8-text path))))
    (setf (job-values job) '())))

(defun load-text (job text)
  "Evaluates TEXT of the file of JOB, so that the Lisp knows where its definitions are."
  (call-with-loading-file (job-file job)
                          (lambda (evaluate)
                            (evaluate-text job text :load
                                           (lambda (form)
                                             (funcall evaluate form (1- (job-form job)) (job-form-start job)))))))

(defun utf-8-text (path)
  (let ((text (handler-case (file-text path)
                ((or type-error stream-error) () (refuse path " is not UTF-8 text.")))))
    (when (find (code-char #xFFFD) text)
      (note-warning (concatenate 'string path " is not UTF-8 text everywhere: what could not be read became U+FFFD.")))
    text))
