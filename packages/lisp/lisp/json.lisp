;;;; JSON as it leaves the worker: one line of UTF-8 per message. This is the only place that escapes text.

(in-package :hawser-worker/json)

;;; A JSON value is a string, an integer, :TRUE, :FALSE, :NULL, (:OBJECT key value ...), (:ARRAY value ...), or a buffer with
;;; the escaped text of a JSON string. Members of an object whose value is :ABSENT are left out.

;;; Messages are written as octets into one growing array. Writing a string first and encoding it is slower.

(deftype octets () '(simple-array (unsigned-byte 8) (*)))

(defstruct buffer
  "Octets, as many as END says."
  (octets (make-array 2048 :element-type '(unsigned-byte 8)) :type octets)
  (end 0 :type fixnum))

(defun reserve-octets (buffer count)
  "Makes room for COUNT more octets, and returns the array."
  (declare (type fixnum count))
  (let* ((octets (buffer-octets buffer)) (needed (+ (buffer-end buffer) count)))
    (declare (type octets octets) (type fixnum needed))
    (if (<= needed (length octets))
        octets
        (let ((larger (make-array (max needed (* 2 (length octets))) :element-type '(unsigned-byte 8))))
          (replace larger octets :end2 (buffer-end buffer))
          (setf (buffer-octets buffer) larger)))))

(defun put-ascii (text buffer)
  "TEXT must need no escapes."
  (let ((octets (reserve-octets buffer (length text))))
    (loop for char across text
          for index of-type fixnum from (buffer-end buffer)
          do (setf (aref octets index) (char-code char)))
    (incf (buffer-end buffer) (length text))))

(defun put-buffer (source buffer)
  (let ((octets (reserve-octets buffer (buffer-end source))) (start (buffer-end buffer)))
    (replace octets (the octets (buffer-octets source)) :start1 start :end2 (buffer-end source))
    (incf (buffer-end buffer) (buffer-end source))))

(defun json-line (value buffer)
  "Writes VALUE and a line end into BUFFER, which is emptied first."
  (setf (buffer-end buffer) 0)
  (write-json value buffer)
  (put-ascii (string #\Newline) buffer)
  buffer)

(defun write-json (value buffer)
  (etypecase value
    (string (write-json-string value buffer))
    (buffer (put-ascii "\"" buffer) (put-buffer value buffer) (put-ascii "\"" buffer))
    (integer (put-ascii (decimal value) buffer))
    (keyword (put-ascii (ecase value (:true "true") (:false "false") (:null "null")) buffer))
    (cons (ecase (first value)
            (:object (write-json-object (rest value) buffer))
            (:array (write-json-array (rest value) buffer))))))

(defun write-json-object (pairs buffer)
  (put-ascii "{" buffer)
  (loop with first = t
        for (key value) on pairs by #'cddr
        unless (eq value :absent)
          do (put-ascii (if first "\"" ",\"") buffer)
             (setf first nil)
             ;; Keys are the worker's own and need no escapes.
             (put-ascii key buffer)
             (put-ascii "\":" buffer)
             (write-json value buffer))
  (put-ascii "}" buffer))

(defun write-json-array (values buffer)
  (put-ascii "[" buffer)
  (loop for (value . more) on values
        do (write-json value buffer)
           (when more (put-ascii "," buffer)))
  (put-ascii "]" buffer))

;;; Strings.

(defconstant +max-octets-per-character+ 6 "How long a character can become: \\u and four digits.")
(defconstant +characters-per-step+ 8192 "For how many characters room is reserved at once.")

(defun write-json-string (string buffer)
  (put-ascii "\"" buffer)
  (write-json-text string 0 (length string) buffer)
  (put-ascii "\"" buffer))

(defmacro with-simple-string ((string) &body body)
  "Compiles BODY once for each usual kind of string, which makes it many times faster."
  `(etypecase ,string
     ((simple-array character (*)) ,@body)
     (simple-base-string ,@body)
     (string ,@body)))

(declaim (inline write-characters))
(defun write-characters (characters start end buffer)
  "Returns the index of the last line end, or NIL."
  (declare (type fixnum start end) (optimize speed) #+sbcl (sb-ext:muffle-conditions sb-ext:compiler-note))
  (let ((octets (reserve-octets buffer (* +max-octets-per-character+ (- end start))))
        (next (buffer-end buffer))
        (line-end nil))
    (declare (type octets octets) (type fixnum next))
    (flet ((put (octet)
             (setf (aref octets next) octet)
             (incf next)))
      (declare (inline put))
      (loop for index of-type fixnum from start below end
            for code of-type (unsigned-byte 21) = (char-code (char characters index))
            do (cond ((or (= code #x22) (= code #x5C)) (put #x5C) (put code))
                     ((and (>= code #x20) (< code #x7F)) (put code))
                     ((= code #x0A) (put #x5C) (put #x6E) (setf line-end index))
                     ((= code #x09) (put #x5C) (put #x74))
                     ;; Control characters; the two line ends that some readers of JSON lines take for one; and half of a
                     ;; surrogate pair, which a character of Lisp may be, and which many readers reject.
                     ((or (< code #xA0) (<= #x2028 code #x2029) (<= #xD800 code #xDFFF))
                      (let ((shown (if (<= #xD800 code #xDFFF) #xFFFD code)))
                        (put #x5C)
                        (put #x75)
                        (loop for shift of-type (integer -12 4) from -12 to 0 by 4
                              for digit of-type (unsigned-byte 4) = (logand 15 (ash shown shift))
                              do (put (if (< digit 10) (+ 48 digit) (+ 87 digit))))))
                     ((< code #x800)
                      (put (logior #xC0 (ash code -6)))
                      (put (logior #x80 (logand #x3F code))))
                     ((< code #x10000)
                      (put (logior #xE0 (ash code -12)))
                      (put (logior #x80 (logand #x3F (ash code -6))))
                      (put (logior #x80 (logand #x3F code))))
                     (t
                      (put (logior #xF0 (ash code -18)))
                      (put (logior #x80 (logand #x3F (ash code -12))))
                      (put (logior #x80 (logand #x3F (ash code -6))))
                      (put (logior #x80 (logand #x3F code)))))))
    (setf (buffer-end buffer) next)
    line-end))

(defun write-json-text (string start end buffer)
  "Writes a part of STRING, escaped for a JSON string. Returns the index of its last line end, or NIL."
  (declare (type fixnum start end) #+sbcl (sb-ext:muffle-conditions sb-ext:compiler-note))
  (let ((line-end nil))
    (loop for from of-type fixnum from start below end by +characters-per-step+
          for to of-type fixnum = (min end (+ from +characters-per-step+))
          do (setf line-end (or (with-simple-string (string) (write-characters string from to buffer)) line-end)))
    line-end))

(defun decimal (integer)
  "INTEGER in base 10, as text, whatever evaluated code has set."
  (let ((*print-base* 10) (*print-radix* nil) (*print-pretty* nil) (*print-readably* nil))
    (princ-to-string integer)))

(defun json-strings (strings)
  "STRINGS as a JSON array."
  (cons :array strings))
