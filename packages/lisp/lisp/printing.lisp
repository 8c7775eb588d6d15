;;;; Printing what evaluated code has made: bounded in length and time, and never failing.

(in-package :hawser-worker)

(defvar *keywords* (find-package :keyword) "The package of keywords, which evaluated code may rename or delete.")

(defclass bounded-stream (fundamental-character-output-stream)
  ((text :initarg :text :reader bounded-text)
   (limit :initarg :limit :reader bounded-limit)
   (count :initform 0 :accessor bounded-count))
  (:documentation "A stream that throws itself :CUT when it has taken as many characters as its limit."))

(defmethod stream-write-char ((stream bounded-stream) char)
  (when (>= (bounded-count stream) (bounded-limit stream)) (throw stream :cut))
  (incf (bounded-count stream))
  (write-char char (bounded-text stream)))

(defmethod stream-write-string ((stream bounded-stream) string &optional (start 0) end)
  (let* ((end (or end (length string)))
         (room (- (bounded-limit stream) (bounded-count stream)))
         (kept (min room (- end start))))
    (write-string string (bounded-text stream) :start start :end (+ start kept))
    (incf (bounded-count stream) kept)
    (when (< kept (- end start)) (throw stream :cut)))
  string)

(defmethod stream-line-column ((stream bounded-stream)) nil)
(defmethod stream-start-line-p ((stream bounded-stream)) nil)

(defvar *printing* nil
  "The tag to throw to when the debugger is entered while something is printed; NIL when nothing is.")

(defun print-bounded (function limit)
  "Calls FUNCTION with a stream. Returns the text and :WHOLE or :CUT; or NIL and the condition that was signalled."
  (let* ((text (make-string-output-stream))
         (stream (make-instance 'bounded-stream :text text :limit limit))
         (failure (list nil)))
    (let ((end (catch failure
                 (let ((*printing* failure) (*print-readably* nil))
                   (handler-case (catch stream (funcall function stream) :whole)
                     (serious-condition (condition) condition))))))
      (if (member end '(:whole :cut))
          (values (get-output-stream-string text) end)
          (values nil end)))))

(defun value-text (value limit)
  "VALUE as the printer of the session shows it. The second value is a warning when its print method
failed, the third is :CUT when it was too long."
  (multiple-value-bind (text end) (print-bounded (lambda (stream) (prin1 value stream)) limit)
    (cond ((eq end :whole) text)
          ((and (eq end :cut) *print-circle*) (values (cut-text text) nil :cut))
          ((eq end :cut) (circle-text value limit text))
          (t (substitute-text value limit end)))))

;;; The sources are ASCII: a Lisp decodes them by its locale.
(defvar *ellipsis* (string (code-char #x2026)) "Ends a text that was cut.")

(defun cut-text (text)
  (concatenate 'string text *ellipsis*))

(defun circle-text (value limit text)
  "VALUE was too long without labels for shared parts: perhaps it is circular."
  (if (circular-p value)
      (multiple-value-bind (labelled end)
          (let ((*print-circle* t)) (print-bounded (lambda (stream) (prin1 value stream)) limit))
        (case end
          (:whole labelled)
          (:cut (values (cut-text labelled) nil :cut))
          (t (values (cut-text text) nil :cut))))
      (values (cut-text text) nil :cut)))

(defun circular-p (value)
  "Whether some cons or vector in VALUE occurs twice. Looks at a few thousand parts only."
  (let ((seen (make-hash-table :test #'eq))
        (pending (list value))
        (budget 20000))
    (loop while pending
          do (let ((part (pop pending)))
               (when (or (consp part) (simple-vector-p part))
                 (when (gethash part seen) (return t))
                 (when (minusp (decf budget)) (return nil))
                 (setf (gethash part seen) t)
                 (if (consp part)
                     (progn (push (car part) pending) (push (cdr part) pending))
                     (loop for element across part do (push element pending))))))))

(defun substitute-text (value limit condition)
  "Printing VALUE failed: shows its outline, which needs no print method of the evaluated code."
  (values (outline value (min limit 1000))
          (concatenate 'string "A value could not be printed: " (condition-text condition 500))))

(defun condition-text (condition limit)
  "The report of CONDITION."
  (if (typep condition 'condition)
      (multiple-value-bind (text end) (print-bounded (lambda (stream) (report-condition condition stream)) limit)
        (case end
          (:whole text)
          (:cut (concatenate 'string (cut-text text) " (the first " (decimal limit) " characters of the report)"))
          (t (concatenate 'string "(its report cannot be printed) " (outline condition 200)))))
      "the debugger was entered"))

;;; Outlines: they call no methods of evaluated code and stop early.

(defun outline (value limit)
  (let ((text (with-output-to-string (out) (write-outline value out 3 limit))))
    (if (> (length text) limit) (cut-text (subseq text 0 limit)) text)))

(defun write-outline (value out depth limit)
  (typecase value
    (symbol (write-string (symbol-text value) out))
    (integer (write-string (if (< (integer-length value) 2000) (decimal value) "#<a large integer>") out))
    (number (write-string (plain-text value) out))
    (character (write-string (plain-text value) out))
    (string (write-char #\" out)
            (write-string value out :end (min (length value) limit))
            (write-char #\" out))
    (cons (write-list-outline value out depth limit))
    (function (write-string "#<FUNCTION" out)
              (let ((name (function-name value)))
                (when name
                  (write-char #\Space out)
                  (write-string (outline name 100) out)))
              (write-char #\> out))
    (t (write-string "#<" out)
       (write-string (symbol-text (class-name (class-of value))) out)
       (write-string ">" out))))

(defun write-list-outline (list out depth limit)
  (if (zerop depth)
      (write-string "(...)" out)
      (loop initially (write-char #\( out)
            for count from 1
            for rest = list then (cdr rest)
            do (write-outline (car rest) out (1- depth) limit)
               (cond ((null (cdr rest)) (return (write-char #\) out)))
                     ((atom (cdr rest))
                      (write-string " . " out)
                      (write-outline (cdr rest) out (1- depth) limit)
                      (return (write-char #\) out)))
                     ((= count 10) (return (write-string " ...)" out)))
                     (t (write-char #\Space out))))))

(defun plain-text (value)
  "A number or a character under standard syntax."
  (let ((*print-base* 10) (*print-radix* nil) (*print-readably* nil) (*print-pretty* nil) (*print-escape* t)
        (*read-default-float-format* 'single-float))
    (prin1-to-string value)))

(defun symbol-text (symbol)
  "SYMBOL as the current package sees it; in upper case, as it is, whatever *PRINT-CASE* says."
  (let ((name (symbol-name symbol))
        (home (symbol-package symbol)))
    (cond ((null home) (concatenate 'string "#:" name))
          ((keywordp symbol) (concatenate 'string ":" name))
          ((or (null (package-name *package*)) (not (eq symbol (find-symbol name *package*))))
           (multiple-value-bind (found status) (find-symbol name home)
             (declare (ignore found))
             (concatenate 'string (or (package-name home) "#") (if (eq status :external) ":" "::") name)))
          (t name))))
