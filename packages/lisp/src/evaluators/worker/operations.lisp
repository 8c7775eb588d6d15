;;;; The operations of an evaluator, by name.

(in-package :hawser-worker)

(defun perform-operation (job kind command)
  (let ((arguments (command-arguments command)))
    (flet ((argument (name) (getf arguments name)))
      (ecase kind
        (:evaluate (if (eq (job-on-error job) :break)
                       (call-debuggably (lambda () (evaluate-text job (argument :code) :evaluate)))
                       (evaluate-text job (argument :code) :evaluate)))
        (:load-file (load-file job (argument :path)))
        (:load-system (load-system job (argument :system)))
        (:list-definitions (list-definitions))
        (:describe-symbol (describe-symbol (argument :symbol)))
        (:apropos (apropos-symbols (argument :text) (argument :package)))
        (:macroexpand (macroexpand-text job (argument :form) (argument :depth)))
        (:compile (compile-text job (argument :form)))
        (:xref (report-findings (cross-references (symbol-called (argument :symbol)) (argument :relation))))
        (:inspect (inspect-text job (argument :form)))
        (:debug (perform-debugging command))))))

(defun read-one-form (job text)
  "The only form in TEXT."
  (let ((stream (make-string-input-stream text)) (end (list nil)))
    (setf (job-phase job) :read
          (job-text job) text
          (job-stream job) stream
          (job-form job) 1
          (job-form-start job) (skip-blanks text 0))
    (let ((form (read stream nil end)))
      (when (eq form end) (refuse "There is no form to read."))
      (setf (job-form job) 2 (job-form-start job) (skip-blanks text (file-position stream)))
      (unless (eq (read stream nil end) end) (refuse "There is more than one form: give them one by one."))
      (setf (job-form job) 1 (job-form-start job) (skip-blanks text 0))
      form)))

(defun macroexpand-text (job text depth)
  (let ((form (read-one-form job text)))
    (setf (job-phase job) :compile
          (job-values job) (list (if (eq depth :once) (macroexpand-1 form) (macroexpand form))))))

(defun compile-text (job text)
  "Compiles the form, which is not run, and reports what the compiler says of it."
  (let ((form (read-one-form job text)))
    (setf (job-phase job) :compile)
    (report-findings
     (loop for (kind message position) in (compiler-remarks form text (job-form-start job))
           collect (finding kind message
                            (multiple-value-bind (line column) (line-and-column text position)
                              (concatenate 'string "line " (decimal line) ", column " (decimal column))))))))

(defun inspect-text (job text)
  (let ((form (read-one-form job text)))
    (setf (job-phase job) :evaluate)
    (let ((object (evaluate-form form)))
      (setf (job-values job) (list object))
      (inspect-object object))))

(defun load-file (job path)
  (setf (job-phase job) :load)
  (let* ((native (native-path path))
         (truth (or (probe-file native) (refuse "There is no file " path "."))))
    (if (member (pathname-type truth) '("fasl" "fas") :test #'equalp)
        (load truth)
        (let ((*load-pathname* (merge-pathnames native)) (*load-truename* truth)
              (*package* *package*) (*readtable* *readtable*))
          (evaluate-text job (file-text path) :load)))
    (setf (job-values job) '())))

(defun load-system (job name)
  (setf (job-phase job) :load)
  (require-asdf)
  (flet ((call (package function &rest arguments)
           (apply (find-symbol function package) arguments)))
    (let ((known (call "ASDF" "FIND-SYSTEM" name nil)))
      (cond (known (call "ASDF" "LOAD-SYSTEM" name))
            ((quicklisp-p) (call "QL" "QUICKLOAD" name :silent t))
            (t (refuse "There is no system " name " where ASDF looks, and no Quicklisp to fetch it with.")))
      (let ((system (call "ASDF" "FIND-SYSTEM" name)))
        (report-findings
         (list (finding "system" (call "ASDF" "COMPONENT-NAME" system)
                        (let ((version (call "ASDF" "COMPONENT-VERSION" system)))
                          (and (stringp version) version)))))))))

(defun require-asdf ()
  (unless (find-package "ASDF") (require "asdf"))
  (unless (find-package "ASDF") (refuse "This Lisp has no ASDF.")))

(defun quicklisp-p ()
  (or (find-package "QL")
      (let ((setup (probe-file (merge-pathnames "quicklisp/setup.lisp" (user-homedir-pathname)))))
        (and setup
             (progn (load setup) (find-package "QL"))))))
