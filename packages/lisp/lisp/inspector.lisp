;;;; Looking into an object, from there into one of its parts, and back.

(in-package :hawser-worker)

(defvar *inspected* '() "The objects that were inspected on the way, innermost first.")

(defun inspect-text (job text)
  (let ((form (read-one-form job text)))
    (setf (job-phase job) :evaluate)
    (let ((object (evaluate-form form)))
      (setf *inspected* (list object))
      (show-inspected job))))

(defun inspect-part (job index)
  (unless *inspected* (refuse "No object is inspected. Call inspect with a form first."))
  (multiple-value-bind (parts total) (object-parts (first *inspected*) index 1)
    (unless parts
      (refuse "There is no part " (decimal index) ": the object has " (if total (decimal total) "fewer") " parts."))
    (push (cddr (first parts)) *inspected*)
    (show-inspected job)))

(defun inspect-back (job)
  (unless (rest *inspected*) (refuse "This is the object that the inspection began with."))
  (pop *inspected*)
  (show-inspected job))

(defconstant +max-part-text+ 500 "How many characters of a part are shown.")

(defun show-inspected (job)
  (let ((object (first *inspected*)))
    ;; Its parts are shown one by one.
    (setf (job-values job) (list object)
          (job-value-limit job) (min +max-part-text+ (job-value-limit job))
          (job-cut-advice job) nil)
    (multiple-value-bind (parts total) (object-parts object (job-offset job) (job-limit job))
      (report-page (loop for (kind name . value) in parts
                         for number from (job-offset job)
                         collect (append (finding kind name (value-text value +max-part-text+)) (list "part" number)))
                   total))))

(defun object-parts (object start count)
  "COUNT parts of OBJECT from the one numbered START on, each (kind name . value); and how many there are in all."
  (typecase object
    (null (values '() 0))
    (symbol (part-of-list (symbol-parts object) start count))
    (cons (list-parts object start count))
    (string (values '() 0))
    (array (values (loop for index from start below (min (array-total-size object) (+ start count))
                         collect (list* "element" (decimal index) (row-major-aref object index)))
                   (array-total-size object)))
    (hash-table (values (loop for key being the hash-keys of object using (hash-value value)
                              for index from 0 below (+ start count)
                              when (>= index start)
                                collect (list* "entry" (value-text key 200) value))
                        (hash-table-count object)))
    (function (part-of-list (multiple-value-bind (lambda-list known) (function-lambda-list object)
                              (when known (list (list* "lambda-list" "arguments" lambda-list))))
                            start count))
    (package (part-of-list (list (list* "use" "uses" (mapcar #'package-name (package-use-list object)))
                                 (list* "nicknames" "nicknames" (package-nicknames object)))
                           start count))
    (t (part-of-list (loop for (name . value) in (object-slots object)
                           collect (list* "slot" (symbol-text name) value))
                     start count))))

(defun object-slots (object)
  "An alist of names and values."
  (loop for slot in (class-slots (class-of object))
        for name = (slot-definition-name slot)
        collect (cons name (if (slot-boundp object name) (slot-value object name) :unbound))))

(defun part-of-list (parts start count)
  (values (loop for part in (nthcdr start parts) repeat count collect part) (length parts)))

(defun symbol-parts (symbol)
  (append (list (list* "cell" "name" (symbol-name symbol)) (list* "cell" "package" (symbol-package symbol)))
          (when (boundp symbol) (list (list* "cell" "value" (symbol-value symbol))))
          (when (fboundp symbol) (list (list* "cell" "function" (fdefinition symbol))))
          (when (symbol-plist symbol) (list (list* "cell" "plist" (symbol-plist symbol))))))

(defun list-parts (list start count)
  "The elements and the tail of a dotted list. A circular list has no last part."
  (let ((length (proper-length list)))
    (values (loop for index from 0 below (+ start count)
                  for rest = list then (cdr rest)
                  while rest
                  when (>= index start)
                    collect (if (consp rest)
                                (list* "element" (decimal index) (car rest))
                                (list* "tail" "tail" rest))
                  while (consp rest))
            length)))

(defun proper-length (list)
  "How many parts a list has, its tail included; NIL when it is circular."
  (loop with slow = list
        for count from 0
        for rest = list then (cdr rest)
        do (cond ((null rest) (return count))
                 ((atom rest) (return (1+ count))))
           (when (and (plusp count) (evenp count))
             (setf slow (cdr slow))
             (when (eq slow rest) (return nil)))))
