;;;; Places: where a definition or an error is, in a file or in code that was given to the session.

(in-package :hawser-worker)

(defstruct place
  "A native path, or the number of the call that gave the code to the session; the 1-based number of the top-level form, its
1-based line and its column."
  file call form line column)

(defun place-json (place)
  (list :object
        "file" (or (place-file place) :absent)
        "call" (or (place-call place) :absent)
        "form" (or (place-form place) :absent)
        "line" (or (place-line place) :absent)
        "column" (or (place-column place) :absent)))

(defun job-place (job)
  "Where the form is that JOB evaluates now."
  (multiple-value-bind (line column) (form-line-and-column job)
    (make-place :file (job-file job)
                :call (if (job-file job) nil (job-id job))
                :form (job-form job) :line line :column column)))

(defun form-line-and-column (job)
  "Counts lines from the form before: a text of many forms is read once, not once for each."
  (let ((text (job-text job)) (start (job-form-start job)))
    (when (and text start)
      (destructuring-bind (known . line) (job-counted job)
        (multiple-value-bind (further column) (line-and-column text start (if (<= known start) known 0))
          (let ((line (if (<= known start) (+ line further -1) further)))
            (setf (job-counted job) (cons (- start column) line))
            (values line column)))))))

;;; Files.

(defconstant +max-file-characters+ 5000000 "In longer files no forms are looked for.")

(defun known-text (file)
  "The text of FILE, the positions of its top-level forms, and where the first is that can't be skipped; NIL when the file
can't be read. Each job reads a file once."
  (let ((known (assoc file (job-texts *job*) :test #'string=)))
    (unless known
      (let ((text (ignore-errors (file-text file))))
        (setf known (list* file text (and text (< (length text) +max-file-characters+)
                                          (multiple-value-list (form-starts text)))))
        (push known (job-texts *job*))))
    (values-list (rest known))))

(defvar *standard-readtable* (copy-readtable nil) "Standard syntax, whatever evaluated code does to its readtable.")

(defmacro ignore-errors-and-warnings (&body body)
  `(ignore-errors (handler-bind ((warning #'muffle-warning)) ,@body)))

(defun form-starts (text)
  "The positions of the top-level forms of TEXT, up to the first that the standard reader can't skip; and its position,
NIL if there is none."
  (let ((starts '()) (end (list nil)) (start 0))
    (with-input-from-string (stream text)
      (let ((*readtable* *standard-readtable*) (*read-suppress* t) (*read-eval* nil))
        (ignore-errors-and-warnings
         (loop
           (setf start (skip-blanks text (file-position stream)))
           (when (eq (read stream nil end) end)
             (setf start nil)
             (return))
           (push (chosen-form-start text start (file-position stream)) starts)))))
    (values (coerce (nreverse starts) 'vector) start)))

(defun unclosed-form-place (file)
  "Where the form begins that is not closed before the end of FILE; NIL if there is none."
  (multiple-value-bind (text starts start) (known-text file)
    (when (and start (< start (length text)) (char/= (char text start) #\)))
      (multiple-value-bind (line column) (line-and-column text start)
        (make-place :file file :form (1+ (length starts)) :line line :column column)))))

(defun chosen-form-start (text start end)
  "Where the form begins that was read up to END from START, after forms that #+ and #- leave out."
  (loop while (or (starts-at-p "#+" text start) (starts-at-p "#-" text start))
        do (let* ((form (skip-blanks text (datum-end text (skip-blanks text (+ start 2)))))
                  (form-end (datum-end text form)))
             (if (>= form-end (1- end))
                 (return form)
                 (setf start (skip-blanks text form-end))))
        finally (return start)))

(defun place-in-file (file number &optional path)
  "The place of the subform that PATH leads to, in the top-level form with this NUMBER, counted from 0."
  (multiple-value-bind (text starts) (known-text file)
    (let ((start (and starts number (< -1 number (length starts)) (aref starts number))))
      (if (null start)
          (make-place :file file)
          (multiple-value-bind (line column) (line-and-column text (or (position-in-text text start path) start))
            (make-place :file file :form (1+ number) :line line :column column))))))

(defun place-of-text (file text)
  "The place of the first TEXT in FILE; NIL if there is none. TEXT ends with a name."
  (let* ((contents (known-text file))
         (position (and contents (position-of-name text contents))))
    (when position
      (multiple-value-bind (line column) (line-and-column contents position)
        (make-place :file file :line line :column column)))))

(defun position-of-name (text contents &optional (test (constantly t)))
  "The first position of TEXT in CONTENTS where the name ends with TEXT, and TEST is true of the position."
  (loop with length = (length text)
        for start = (search text contents :test #'char-equal)
          then (search text contents :test #'char-equal :start2 (1+ start))
        while start
        when (and (or (= (+ start length) (length contents))
                      (let ((next (char contents (+ start length)))) (or (char<= next #\Space) (find next "()\";"))))
                  (funcall test start))
          do (return start)))

(defun location-place (location)
  "The place of a location of the engine, or NIL."
  (when location
    (let ((file (location-file location)) (position (location-position location)))
      (if position
          (let ((text (known-text file)))
            (if (and text (< -1 position (length text)))
                (multiple-value-bind (line column) (line-and-column text (skip-blanks text position))
                  (make-place :file file :line line :column column))
                (make-place :file file)))
          (place-in-file file (location-form location) (location-path location))))))

(defun native-name (pathname)
  "The path of a file as other programs write it."
  (and pathname (native-namestring (merge-pathnames pathname))))

;;; Definitions that were evaluated, by what they define.

(defconstant +max-evaluated+ 20000 "How many definitions are remembered: at least half as many, the newest.")

(defvar *evaluated* (make-hash-table :test #'equal) "Places of the newest definitions that were evaluated, by their keys.")
(defvar *evaluated-before* (make-hash-table :test #'equal) "Places of older definitions.")

(defun remember-place (key place)
  (when (and (>= (hash-table-count *evaluated*) (floor +max-evaluated+ 2)) (null (gethash key *evaluated*)))
    (setf *evaluated-before* *evaluated*
          *evaluated* (make-hash-table :test #'equal)))
  (setf (gethash key *evaluated*) place))

(defun remembered-place (key)
  (or (gethash key *evaluated*) (gethash key *evaluated-before*)))

(defun note-definitions (form job &optional (depth 3))
  "Remembers where the definitions in a top-level FORM of JOB are."
  (when (and (consp form) (symbolp (first form)) (consp (rest form)))
    (let ((operator (symbol-name (first form))))
      (cond ((starts-at-p "DEF" operator 0)
             (let ((key (definition-key operator form)))
               (when key (remember-place key (job-place job)))))
            ((and (plusp depth)
                  (member operator '("PROGN" "EVAL-WHEN" "LET" "LET*" "LOCALLY" "FLET" "LABELS" "MACROLET")
                          :test #'string=))
             (loop for rest = (cdr form) then (cdr rest)
                   while (consp rest)
                   do (note-definitions (car rest) job (1- depth))))))))

(defun definition-key (operator form)
  "A list of symbols, or NIL: other objects may be circular, and comparing them would not end."
  (let* ((name (second form))
         (name (if (and (consp name) (not (eq (first name) 'setf))) (first name) name)))
    (flet ((is (&rest operators) (member operator operators :test #'string=)))
      (cond ((not (or (symbolp name) (and (consp (rest name)) (symbolp (second name)) (null (cddr name))))) nil)
            ((is "DEFMETHOD") (method-key name (cddr form)))
            ((is "DEFUN" "DEFMACRO" "DEFGENERIC") (list :function name))
            ((is "DEFVAR" "DEFPARAMETER" "DEFCONSTANT") (list :variable name))
            ((is "DEFCLASS" "DEFSTRUCT" "DEFINE-CONDITION" "DEFTYPE") (list :type name))
            (t (list :other name))))))

(defun method-key (name rest)
  "REST is what follows the name in a DEFMETHOD form."
  (let ((qualifiers (loop for part in rest while (and part (atom part)) collect part))
        (lambda-list (find-if #'listp rest)))
    (make-method-key name (remove-if-not #'symbolp qualifiers)
                     (loop for parameter in lambda-list
                           until (member parameter lambda-list-keywords)
                           collect (cond ((atom parameter) t)
                                         ((atom (second parameter)) (second parameter))
                                         (t (list 'eql (constant-value (second (second parameter))))))))))

(defun constant-value (form)
  "The value of FORM if it is constant, or else FORM."
  (if (and (consp form) (eq (first form) 'quote)) (second form) form))

(defun make-method-key (name qualifiers specializers)
  "NIL if an EQL specializer has a form whose value is not known here."
  (and (every (lambda (specializer)
                (or (symbolp specializer) (typep (second specializer) '(or symbol number character))))
              specializers)
       (list :method name qualifiers specializers)))

(defun evaluated-method-place (name qualifiers specializers)
  (let ((key (make-method-key name qualifiers specializers)))
    (and key (remembered-place key))))

(defun evaluated-place (kind name)
  (or (remembered-place (list kind name))
      (remembered-place (list :other name))))

(defun aspect-place (name kind)
  "Where NAME was defined as a KIND of SYMBOL-ASPECTS, or NIL."
  (let ((kind-of-name (cond ((member kind '("function" "macro" "generic-function") :test #'string=) :function)
                            ((member kind '("variable" "constant" "symbol-macro") :test #'string=) :variable)
                            (t :type))))
    (or (current-place (native-place name kind) (evaluated-place kind-of-name name))
        ;; A generic function without DEFGENERIC is where its first method is.
        (and (string= kind "generic-function") (some #'method-place (function-methods name))))))

(defun method-place (method)
  (multiple-value-bind (name qualifiers specializers) (method-parts method)
    (or (current-place (or (ignore-errors (location-place (method-location method)))
                           (and (places-by-text-p) (method-text-place name qualifiers specializers)))
                       (evaluated-method-place name qualifiers specializers))
        ;; An accessor is where the slot's class is.
        (and (typep method 'standard-accessor-method) (aspect-place (first (last specializers)) "class")))))

(defun native-place (name kind)
  (or (ignore-errors (location-place (definition-location name kind)))
      (and (places-by-text-p) (text-place name kind))))

(defun method-parts (method)
  "Its name, its qualifiers and the names of its specializers."
  (values (generic-function-name (method-generic-function method))
          (method-qualifiers method)
          (loop for specializer in (method-specializers method)
                collect (if (typep specializer 'class)
                            (class-name specializer)
                            (list 'eql (eql-specializer-object specializer))))))

(defun current-place (native evaluated)
  "Prefers the Lisp's own record, which is newer than ours, unless both name the same file."
  (if (and native (not (and evaluated (equal (place-file native) (place-file evaluated)))))
      native
      evaluated))
