;;;; JSON as it leaves the worker: one line of valid UTF-8 per message. This is the only place that escapes text.

(in-package :hawser-worker)

;;; A JSON value is a string, an integer, :TRUE, :FALSE, :NULL, (:OBJECT key value ...), or (:ARRAY value ...). In an
;;; object the pairs whose value is :ABSENT are left out.

(defun json-line (value)
  (with-output-to-string (out)
    (write-json value out)
    (write-char #\Newline out)))

(defun write-json (value out)
  (etypecase value
    (string (write-json-string value out))
    (integer (write-decimal value out))
    (keyword (write-string (ecase value (:true "true") (:false "false") (:null "null")) out))
    (cons (ecase (first value)
            (:object (write-json-object (rest value) out))
            (:array (write-json-array (rest value) out))))))

(defun write-json-object (pairs out)
  (write-char #\{ out)
  (loop with first = t
        for (key value) on pairs by #'cddr
        unless (eq value :absent)
          do (write-string (if first "\"" ",\"") out)
             (setf first nil)
             ;; Keys are the worker's own and need no escapes.
             (write-string key out)
             (write-string "\":" out)
             (write-json value out))
  (write-char #\} out))

(defun write-json-array (values out)
  (write-char #\[ out)
  (loop for (value . more) on values
        do (write-json value out)
           (when more (write-char #\, out)))
  (write-char #\] out))

(declaim (inline needs-escape-p))
(defun needs-escape-p (char)
  (let ((code (char-code char)))
    (or (< code #x20) (= code #x22) (= code #x5C)
        (<= #x7F code #x9F)
        (<= #xD800 code #xDFFF)
        (<= #x2028 code #x2029))))

(defun write-json-string (string out)
  (write-char #\" out)
  (let ((simple (coerce string 'simple-string)))
    (if (typep simple '(simple-array character (*)))
        (write-escaped simple out)
        (write-escaped (coerce simple '(simple-array character (*))) out)))
  (write-char #\" out))

(defun write-escaped (string out)
  (declare (type (simple-array character (*)) string))
  (let ((start 0))
    (declare (type fixnum start))
    (dotimes (index (length string))
      (let ((char (schar string index)))
        (when (needs-escape-p char)
          (write-string string out :start start :end index)
          (write-escape char out)
          (setf start (1+ index)))))
    (write-string string out :start start)))

(defun write-escape (char out)
  (let ((code (char-code char)))
    (write-char #\\ out)
    (case code
      ((#x22 #x5C) (write-char char out))
      (#x0A (write-char #\n out))
      (#x09 (write-char #\t out))
      (t (write-char #\u out)
         ;; A character of Lisp may be half of a surrogate pair, which many readers of JSON reject.
         (loop with shown = (if (<= #xD800 code #xDFFF) #xFFFD code)
               for shift in '(12 8 4 0)
               do (write-char (char "0123456789abcdef" (ldb (byte 4 shift) shown)) out))))))

(defun write-decimal (integer out)
  ;; The printer would obey *PRINT-BASE* and its kin, which belong to the evaluated code.
  (when (minusp integer) (write-char #\- out))
  (let ((digits '()) (rest (abs integer)))
    (loop do (multiple-value-bind (quotient digit) (floor rest 10)
               (push (char "0123456789" digit) digits)
               (setf rest quotient))
          until (zerop rest))
    (dolist (digit digits) (write-char digit out))))

(defun decimal (integer)
  (with-output-to-string (out) (write-decimal integer out)))

(defun json-strings (strings)
  (cons :array strings))
