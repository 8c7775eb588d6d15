;;;; What evaluated code writes to the standard streams, from any thread, kept within a limit until it is sent.

(in-package :hawser-worker)

;;; The state is a structure: its slots are read in a few instructions, those of an instance are not.
(defstruct capture
  (lock (make-lock))
  (text (make-string 1024) :type (simple-array character (*)))
  (fill 0 :type fixnum)
  (room 100000 :type fixnum)
  (dropped 0 :type fixnum)
  (column 0 :type fixnum))

(defclass capture-stream (fundamental-character-output-stream)
  ((capture :initform (make-capture) :reader stream-capture)))

(defvar *stdout* (make-instance 'capture-stream))
(defvar *stderr* (make-instance 'capture-stream))

(defmethod stream-write-char ((stream capture-stream) char)
  (let ((capture (stream-capture stream)))
    (with-lock ((capture-lock capture))
      (cond ((plusp (capture-room capture))
             (reserve capture 1)
             (setf (schar (capture-text capture) (capture-fill capture)) char)
             (incf (capture-fill capture))
             (decf (capture-room capture)))
            (t (incf (capture-dropped capture))))
      (if (char= char #\Newline)
          (setf (capture-column capture) 0)
          (incf (capture-column capture)))))
  char)

(defmethod stream-write-string ((stream capture-stream) string &optional (start 0) end)
  (let ((end (or end (length string))) (capture (stream-capture stream)))
    (with-lock ((capture-lock capture))
      (let ((kept (min (- end start) (capture-room capture))))
        (reserve capture kept)
        (copy-characters string start (capture-text capture) (capture-fill capture) kept)
        (incf (capture-fill capture) kept)
        (decf (capture-room capture) kept)
        (incf (capture-dropped capture) (- end start kept)))
      (let ((newline (last-newline string start end)))
        (if newline
            (setf (capture-column capture) (- end newline 1))
            (incf (capture-column capture) (- end start))))))
  string)

(defmacro with-simple-string ((string) &body body)
  "Compiles BODY once for each usual kind of string, which makes it many times as fast."
  `(etypecase ,string
     ((simple-array character (*)) ,@body)
     (simple-base-string ,@body)
     (string ,@body)))

(defun copy-characters (from start to at count)
  (declare (type fixnum start at count) (type (simple-array character (*)) to))
  (with-simple-string (from) (replace to from :start1 at :start2 start :end2 (+ start count))))

(defun last-newline (string start end)
  (declare (type fixnum start end))
  ;; ECL interprets this file, so its own function is faster there than any loop.
  #+ecl (position #\Newline string :from-end t :start start :end end)
  #-ecl (with-simple-string (string)
          (loop for index of-type fixnum from (1- end) downto start
                when (char= (char string index) #\Newline) do (return index))))

(defmethod stream-line-column ((stream capture-stream))
  (capture-column (stream-capture stream)))

(defmethod stream-start-line-p ((stream capture-stream))
  (zerop (capture-column (stream-capture stream))))

;;; Evaluated code may close them; the next evaluation writes all the same.
(define-close-method capture-stream)

(defun reserve (capture count)
  (declare (type fixnum count))
  (let* ((text (capture-text capture))
         (needed (+ (capture-fill capture) count)))
    (when (> needed (length text))
      (let ((larger (make-string (max needed (* 2 (length text))))))
        (replace larger text :end2 (capture-fill capture))
        (setf (capture-text capture) larger)))))

(defun limit-output (limit)
  "From now on LIMIT characters are kept, together with those that are there already."
  (dolist (stream (list *stdout* *stderr*))
    (let ((capture (stream-capture stream)))
      (with-lock ((capture-lock capture))
        (setf (capture-room capture) (max 0 (- limit (capture-fill capture))))))))

(defun take-output (stream)
  "What was written since the last time, or NIL."
  (let ((capture (stream-capture stream)))
    (with-lock ((capture-lock capture))
      (when (plusp (capture-fill capture))
        (prog1 (subseq (capture-text capture) 0 (capture-fill capture))
          (setf (capture-fill capture) 0)
          (when (> (length (capture-text capture)) 65536)
            (setf (capture-text capture) (make-string 1024))))))))

(defun take-rest-of-output (stream)
  "What was written since the last time, and how many characters were dropped."
  (values (or (take-output stream) "")
          (let ((capture (stream-capture stream)))
            (with-lock ((capture-lock capture))
              (shiftf (capture-dropped capture) 0)))))
