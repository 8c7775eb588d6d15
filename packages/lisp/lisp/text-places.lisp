;;;; Where the files of the project define things, found by their text, for an engine that keeps few locations.

(in-package :hawser-worker)

(defvar *defining-operators*
  '(("generic-function" "(defgeneric") ("class" "(defclass") ("structure" "(defstruct") ("condition" "(define-condition")
    ("variable" "(defvar" "(defparameter") ("constant" "(defconstant") ("type" "(deftype")
    ("symbol-macro" "(define-symbol-macro"))
  "How the definition of each kind begins. The engine knows where functions and macros are.")

(defun text-place (name kind)
  "Where the project defines NAME, a symbol or (SETF symbol), as a KIND of SYMBOL-ASPECTS."
  (loop for operator in (rest (assoc kind *defining-operators* :test #'string=))
        thereis (loop for mark in '("" "(")
                      thereis (defining-place (concatenate 'string operator " " mark (name-in-text name))
                                              (name-package name)))))

(defun method-text-place (name qualifiers specializers)
  (defining-place (concatenate 'string "(defmethod " (name-in-text name)) (name-package name)
                  (lambda (text start) (method-text-p text start qualifiers specializers))))

(defun name-in-text (name)
  (if (symbolp name) (symbol-name name) (concatenate 'string "(setf " (symbol-name (second name)) ")")))

(defun name-package (name) (symbol-package (if (symbolp name) name (second name))))

(defun defining-place (beginning package &optional (test (constantly t)))
  "Where a form of the project that is in PACKAGE begins with this text and passes TEST."
  (loop for file in (project-source-files)
        thereis (let* ((text (known-text file))
                       (start (and text
                                   (position-of-name beginning text
                                                     (lambda (start)
                                                       (and (in-package-p text start package) (funcall test text start)))))))
                  (when start
                    (multiple-value-bind (line column) (line-and-column text start)
                      (make-place :file file :line line :column column))))))

(defun project-source-files ()
  (when (find-package "ASDF")
    (loop for name in (external-call "ASDF" "REGISTERED-SYSTEMS")
          for system = (external-call "ASDF" "FIND-SYSTEM" name nil)
          for definition = (and system (external-call "ASDF" "SYSTEM-SOURCE-FILE" system))
          when (and definition (own-file-p (native-name definition) *project-folders*))
            append (ignore-errors (source-files system)))))

(defun in-package-p (text position package)
  "Whether the last IN-PACKAGE form before POSITION names PACKAGE."
  (let* ((operator "(in-package")
         (start (search operator text :from-end t :end2 position :test #'char-equal))
         (name (and start (datum-text text (skip-blanks text (+ start (length operator)))))))
    (eq package (if name
                    (find-package (string-upcase (string-trim "#:'\"" name)))
                    (find-package "COMMON-LISP-USER")))))

(defun datum-text (text start) (subseq text start (datum-end text start)))

(defun method-text-p (text start qualifiers specializers)
  "Whether the DEFMETHOD form at START has these qualifiers and specializers."
  (let* ((parts (loop for index from 2
                      for position = (subform-start text start index)
                      while position
                      collect position
                      until (char= (char text position) #\()))
         (lambda-list (first (last parts))))
    (and lambda-list
         (= (length parts) (1+ (length qualifiers)))
         (every (lambda (qualifier position)
                  (string-equal (string qualifier) (string-left-trim ":" (datum-text text position))))
                qualifiers parts)
         (loop for specializer in specializers
               for index from 0
               for position = (subform-start text lambda-list index)
               always (and position (specializer-text-p text position specializer))))))

(defun specializer-text-p (text position specializer)
  "Whether the parameter at POSITION has this specializer, a name or (EQL object)."
  (let* ((second (and (char= (char text position) #\() (subform-start text position 1)))
         (written (if second (datum-text text second) "t")))
    (if (consp specializer)
        (and (search "(eql " written :test #'char-equal)
             (search (outline (second specializer) 100) written :test #'char-equal))
        (string-equal (symbol-name specializer)
                      (subseq written (let ((colon (position #\: written :from-end t))) (if colon (1+ colon) 0)))))))
