;;;; What to do about an error, in a sentence for the model that caused it.

(in-package :hawser-worker)

(defvar *not-external-advice*
  "The symbol exists only inside that package, or not at all. Write :: instead of : to use an internal symbol, or search with apropos-search."
  "Advice about a symbol that is not external.")

(defun advice-for (condition job)
  (let ((names (mapcar #'symbol-name (condition-names condition))))
    (flet ((is (name) (member name names :test #'string=)))
      (cond ((is "MISSING-COMPONENT") (missing-system-advice condition))
            ((missing-package-name condition) (missing-package-advice (missing-package-name condition)))
            ((and (eq (job-phase job) :read) (not-external-p condition)) *not-external-advice*)
            ((search "know how to REQUIRE" (condition-text condition 300))
             "REQUIRE finds modules of the Lisp itself. Call load-system for an ASDF system.")
            ((reads-past-input-p condition job)
             "The code reads standard input, which has ended. Give the text in stdin.")
            ((wrong-arguments-p condition) (lambda-list-advice (entered-function-name)))
            ((typep condition 'undefined-function)
             (other-packages-advice (cell-error-name condition) #'fboundp "function"))
            ((typep condition 'unbound-variable) (unbound-advice (cell-error-name condition)))
            ((or (is "PACKAGE-LOCK-VIOLATION") (search "locked package" (condition-text condition 300)))
             (if (eq (job-phase job) :read)
                 "The package has no symbol of that name. Search with apropos-search."
                 "The package is locked, so its definitions can't be changed. Choose another name, or shadow the symbol: (defpackage :my-package (:use :cl) (:shadow #:name))."))
            ((is "STORAGE-CONDITION")
             "The code needs more stack or heap than there is. Look for recursion without an end, or work on smaller parts.")
            ((and (typep condition 'file-error) *loading*)
             "The .asd file names a file that can't be read. Create it, or correct the name there.")
            ((and (typep condition 'file-error) (below-working-folder-p (file-error-pathname condition)))
             (concatenate 'string "Relative paths start at " (native-name *default-pathname-defaults*) "."))
            ((is "DEFCONSTANT-UNEQL")
             "A constant can't change, and a new list or string is another value. Use defparameter.")
            ((search "to redefine the STRUCTURE" (condition-text condition 300))
             (structure-advice (car (last (simple-condition-format-arguments condition)))))))))

(defun below-working-folder-p (file)
  (starts-at-p (native-name *default-pathname-defaults*) (native-name file) 0))

(defun structure-advice (name)
  (concatenate 'string "Evaluate (setf (find-class '" (string-downcase (symbol-text name))
               ") nil) first. Instances made before keep the old definition."))

(defun reader-advice (condition)
  "Advice about a reader error in a file; NIL for other conditions."
  (cond ((missing-package-name condition) (missing-package-advice (missing-package-name condition)))
        ((not-external-p condition) *not-external-advice*)))

(defun reads-past-input-p (condition job)
  (and (typep condition 'end-of-file)
       (not (eq (job-phase job) :read))
       (member (stream-error-stream condition) (list *standard-input* *query-io* *terminal-io* *debug-io*))))

(defun wrong-arguments-p (condition)
  (and (typep condition 'program-error)
       (let ((text (condition-text condition 300)))
         (or (search "number of arguments" text) (search "&KEY argument" text)))))

(defun lambda-list-advice (name)
  (let ((text (and name (fboundp name) (lambda-list-text (fdefinition name) +max-detail+))))
    (and text (concatenate 'string (outline name 100) " takes " text "."))))

(defun join-texts (texts separator)
  (with-output-to-string (out)
    (loop for (text . more) on texts
          do (write-string text out)
             (when more (write-string separator out)))))

;;; Systems.

(defun missing-system-advice (condition)
  (let* ((name (external-call "ASDF/FIND-COMPONENT" "MISSING-REQUIRES" condition))
         (by (ignore-errors (external-call "ASDF/FIND-COMPONENT" "MISSING-REQUIRED-BY" condition)))
         (text (if (stringp name) name (string-downcase (princ-to-string name)))))
    (or (misnamed-system-advice text)
        (absent-system-advice text by))))

(defun misnamed-system-advice (name)
  (let ((path (native-path name)) (file (find-project-system name)))
    (cond ((equal (pathname-type path) "asd")
           (concatenate 'string "Give the name of a system, not of a file: " (quoted (pathname-name path)) "."))
          (file
           (concatenate 'string (native-name file) " does not define a system " (quoted name)
                        ". Give the name in its defsystem form.")))))

(defun absent-system-advice (text by)
  (let* ((missing (or (and by (ignore-errors (missing-dependencies by))) (list text)))
         (several (rest missing)))
    (concatenate 'string
                 (if by
                     (concatenate 'string "The system " (external-call "ASDF" "COMPONENT-NAME" by) " depends on "
                                  (join-texts missing " and ") ", which ASDF can't find. ")
                     (concatenate 'string "ASDF can't find a system " text ". "))
                 (if (find-package "QL")
                     (concatenate 'string "Evaluate (ql:quickload '(" (join-texts (mapcar #'quoted missing) " ") ")). ")
                     "Quicklisp is not installed here. ")
                 (if by "" "Check the name and the folder: known are the .asd files up to 3 levels below the working directory and --project folders. ")
                 "Install the Debian package" (if several "s " " ") (join-texts (mapcar #'debian-package missing) " and ")
                 ", run ocicl install " (join-texts missing " ") ", or ask the user to get " (if several "them." "it."))))

(defun missing-dependencies (system)
  "The names of systems that SYSTEM itself depends on and that ASDF can't find."
  (let ((*loading* nil))
    (loop for name in (external-call "ASDF" "SYSTEM-DEPENDS-ON" system)
          when (and (stringp name) (not (external-call "ASDF" "FIND-SYSTEM" name nil)))
            collect name)))

(defun quoted (text) (concatenate 'string "\"" text "\""))

(defun debian-package (system)
  (if (starts-at-p "cl-" system 0) system (concatenate 'string "cl-" system)))

;;; Packages and symbols.

(defun missing-package-advice (name)
  (if *loading*
      (concatenate 'string "Add " (if (known-system-p name) (quoted (string-downcase name)) "the system that defines the package")
                   " to :depends-on in the .asd file.")
      (missing-package-advice-here name)))

(defun known-system-p (name)
  (let ((*loading* nil))
    (ignore-errors
     (prepare-asdf)
     (external-call "ASDF" "FIND-SYSTEM" (string-downcase name) nil))))

(defun load-first-advice (system)
  (concatenate 'string "Call load-system with system " (quoted (string-downcase system)) " first."))

(defun missing-package-advice-here (name)
  (cond ((and (starts-at-p "SB-" (string-upcase name) 0) (string/= (lisp-implementation-type) "SBCL"))
         (concatenate 'string "This Lisp is " (engine-name) ", and that package belongs to SBCL. Write portable code, or use UIOP."))
        ((member name '("QL" "QUICKLISP" "QL-DIST") :test #'string-equal)
         "Quicklisp is not installed here. Use load-system, which finds systems of the project, of ocicl and of Debian's cl-* packages.")
        ((find-package (string-upcase name))
         (concatenate 'string "Names of packages are in upper case. Write :" (string-downcase name) " or "
                      (quoted (string-upcase name)) "."))
        ((known-system-p name) (load-first-advice name))
        ((known-system-p (concatenate 'string "cl-" name)) (load-first-advice (concatenate 'string "cl-" name)))
        (t "Load the system that defines the package with load-system, or define it with defpackage.")))

(defun other-packages-advice (name test kind)
  (if (not (symbolp name))
      "Define it first, or search with apropos-search."
      (let ((others (loop for package in (list-all-packages)
                          for symbol = (find-symbol (symbol-name name) package)
                          when (and symbol (not (eq symbol name)) (not (keywordp symbol)) (funcall test symbol)
                                    (eq (symbol-package symbol) package))
                            collect (let ((*package* *keywords*)) (string-downcase (symbol-text symbol))))))
        (if others
            (concatenate 'string "There is a " kind " of that name in another package: "
                         (join-texts (subseq others 0 (min 5 (length others))) ", ")
                         ". Write it with its package, or change the package with in-package.")
            (concatenate 'string "No package has a " kind " of that name. Define it first, or search with apropos-search.")))))

(defun unbound-advice (name)
  (cond ((member (symbol-name name) '("TRUE" "FALSE" "NULL" "NONE" "UNDEFINED") :test #'string=)
         "Common Lisp writes T for true, and NIL for false and for nothing.")
        ((and (fboundp name) (not (special-operator-p name)))
         (let ((text (string-downcase (symbol-text name))))
           (if (macro-function name)
               (concatenate 'string text " names a macro: call it as (" text " ...).")
               (concatenate 'string text " names a function: call it as (" text " ...), or write #'" text "."))))
        (t (other-packages-advice name #'boundp "variable"))))
