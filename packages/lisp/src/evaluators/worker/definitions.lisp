;;;; What symbols name.

(in-package :hawser-worker)

(defconstant most-findings 500)

(defun finding (kind name &optional detail)
  (list :object "kind" kind "name" name "detail" (or detail :absent)))

(defun report-findings (findings)
  (setf (job-findings *job*)
        (cond ((null findings) :none)
              ((> (length findings) most-findings)
               (append (subseq findings 0 most-findings) (list (finding "more" "there are more"))))
              (t findings))))

;;; Names, as a person writes them: no symbol is made by asking for one.

(defun symbol-called (text)
  (let* ((colon (position #\: text))
         (package (cond ((null colon) *package*)
                        ((zerop colon) *keywords*)
                        (t (package-named (subseq text 0 colon)))))
         (name (string-left-trim ":" (if colon (subseq text colon) text))))
    (multiple-value-bind (symbol found) (find-symbol (string-upcase name) package)
      (if found
          symbol
          (multiple-value-bind (symbol found) (find-symbol name package)
            (if found
                symbol
                (refuse "There is no symbol " name " in the package " (package-name package) ".")))))))

;;; Aspects of a symbol, each a list of a kind and, perhaps, a detail.

(defun symbol-aspects (symbol)
  (remove nil (list (function-aspect symbol) (variable-aspect symbol) (class-aspect symbol))))

(defun function-aspect (symbol)
  (cond ((special-operator-p symbol) (list "special-operator"))
        ((macro-function symbol) (list "macro" (lambda-list-text (macro-function symbol))))
        ((not (fboundp symbol)) nil)
        ((typep (fdefinition symbol) 'generic-function)
         (list "generic-function" (lambda-list-text (fdefinition symbol))))
        (t (list "function" (lambda-list-text (fdefinition symbol))))))

(defun lambda-list-text (function)
  (multiple-value-bind (lambda-list known) (function-lambda-list function)
    (cond ((not known) nil)
          ((null lambda-list) "()")
          (t (value-text lambda-list 500)))))

(defun variable-aspect (symbol)
  (cond ((keywordp symbol) nil)
        ((constantp symbol) (list "constant" (value-text (symbol-value symbol) 200)))
        ((boundp symbol) (list "variable" (value-text (symbol-value symbol) 200)))
        ((special-variable-p symbol) (list "variable" "unbound"))))

(defun class-aspect (symbol)
  (let ((class (find-class symbol nil)))
    (when class
      (list (cond ((subtypep class 'condition) "condition")
                  ((typep class 'structure-class) "structure")
                  (t "class"))
            (let ((parents (class-parents class)))
              (and parents (outline (mapcar #'class-name parents) 300)))))))

(defun first-line (text)
  (and text (subseq text 0 (min 200 (or (position #\Newline text) (length text))))))

(defun symbol-findings (symbol)
  (loop for (kind detail) in (symbol-aspects symbol)
        collect (finding kind (symbol-text symbol) detail)))

;;; The operations.

(defun list-definitions ()
  (let ((symbols '()) (package *package*))
    (do-symbols (symbol package)
      (when (eq (symbol-package symbol) package) (push symbol symbols)))
    (report-findings
     (loop for symbol in (sort (remove-duplicates symbols) #'string< :key #'symbol-name)
           append (symbol-findings symbol) into findings
           while (<= (length findings) most-findings)
           finally (return findings)))))

(defun apropos-symbols (text package)
  (let* ((symbols (remove-duplicates (if package
                                         (apropos-list text (package-named package))
                                         (apropos-list text))))
         (sorted (sort symbols #'string< :key #'symbol-name)))
    (report-findings
     (loop for symbol in sorted
           append (or (symbol-findings symbol) (list (finding "symbol" (symbol-text symbol)))) into findings
           while (<= (length findings) most-findings)
           finally (return findings)))))

(defun describe-symbol (text)
  (let ((symbol (symbol-called text)))
    (report-findings
     (append (symbol-findings symbol)
             (loop for (kind . place) in '((function . "function") (variable . "variable") (type . "type"))
                   for text = (ignore-errors (documentation symbol kind))
                   when text
                     collect (finding "documentation" place (cut-to text 2000)))
             (let ((class (find-class symbol nil)))
               (when class
                 (loop for (name . detail) in (class-slot-texts class)
                       collect (finding "slot" name detail))))
             (list (finding "package" (let ((home (symbol-package symbol)))
                                        (if home (package-name home) "none"))))))))

(defun cut-to (text limit)
  (if (> (length text) limit) (cut-text (subseq text 0 limit)) text))

;;; Looking into an object.

(defun inspect-object (object)
  (report-findings
   (loop for (kind name . value) in (object-parts object)
         repeat (1+ most-findings)
         collect (finding kind name (value-text value 500)))))

(defun object-parts (object)
  (typecase object
    (null '())
    (symbol (symbol-parts object))
    (cons (list-parts object))
    (string '())
    (array (loop for index from 0 below (min (array-total-size object) (1+ most-findings))
                 collect (list* "element" (decimal index) (row-major-aref object index))))
    (hash-table (loop for key being the hash-keys of object using (hash-value value)
                      repeat (1+ most-findings)
                      collect (list* "entry" (value-text key 200) value)))
    (function (multiple-value-bind (lambda-list known) (function-lambda-list object)
                (when known (list (list* "lambda-list" "arguments" lambda-list)))))
    (package (list (list* "use" "uses" (mapcar #'package-name (package-use-list object)))
                   (list* "nicknames" "nicknames" (package-nicknames object))))
    (t (loop for (name . value) in (object-slots object)
             collect (list* "slot" (symbol-text name) value)))))

(defun symbol-parts (symbol)
  (append (list (list* "cell" "name" (symbol-name symbol)) (list* "cell" "package" (symbol-package symbol)))
          (when (boundp symbol) (list (list* "cell" "value" (symbol-value symbol))))
          (when (fboundp symbol) (list (list* "cell" "function" (fdefinition symbol))))
          (when (symbol-plist symbol) (list (list* "cell" "plist" (symbol-plist symbol))))))

(defun list-parts (list)
  (loop for index from 0 to most-findings
        for rest = list then (cdr rest)
        while (consp rest)
        collect (list* "element" (decimal index) (car rest)) into parts
        finally (return (if (and rest (atom rest))
                            (append parts (list (list* "tail" "tail" rest)))
                            parts))))
