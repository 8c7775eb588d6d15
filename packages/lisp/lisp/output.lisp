;;;; What evaluated code writes to the standard streams, from any thread, kept within a limit until it is sent.

(in-package :hawser-worker)

;;; The state is a structure because its slots are faster to read than those of an instance. The text is kept as escaped
;;; octets, ready to send, which take a quarter of the memory of a string.
(defstruct capture
  "What a stream has taken and nobody has sent yet."
  (lock (make-lock))
  (text (make-buffer) :type buffer)
  (count 0 :type fixnum)
  (room 100000 :type fixnum)
  (dropped 0 :type fixnum)
  (column 0 :type fixnum))

(defclass capture-stream (fundamental-character-output-stream)
  ((capture :initform (make-capture) :reader stream-capture))
  (:documentation "A stream that keeps what is written until it is sent."))

(defvar *stdout* (make-instance 'capture-stream) "Standard output of evaluated code.")
(defvar *stderr* (make-instance 'capture-stream) "Error output of evaluated code.")

(defmethod stream-write-char ((stream capture-stream) char)
  (let ((capture (stream-capture stream)))
    (with-lock ((capture-lock capture))
      (cond ((plusp (capture-room capture))
             (write-json-text (string char) 0 1 (capture-text capture))
             (incf (capture-count capture))
             (decf (capture-room capture)))
            (t (incf (capture-dropped capture))))
      (if (char= char #\Newline)
          (setf (capture-column capture) 0)
          (incf (capture-column capture)))))
  char)

(defmethod stream-write-string ((stream capture-stream) string &optional (start 0) end)
  (let ((end (or end (length string))) (capture (stream-capture stream)))
    (declare (type fixnum start end))
    (with-lock ((capture-lock capture))
      (let* ((kept (min (- end start) (capture-room capture)))
             (line-end (write-json-text string start (+ start kept) (capture-text capture))))
        (incf (capture-count capture) kept)
        (decf (capture-room capture) kept)
        (when (< kept (- end start))
          (incf (capture-dropped capture) (- end start kept))
          (setf line-end (position #\Newline string :from-end t :start start :end end)))
        (if line-end
            (setf (capture-column capture) (- end line-end 1))
            (incf (capture-column capture) (- end start))))))
  string)

(defmethod stream-line-column ((stream capture-stream))
  (capture-column (stream-capture stream)))

(defmethod stream-start-line-p ((stream capture-stream))
  (zerop (capture-column (stream-capture stream))))

(defmethod #+ecl gray::close #-ecl close ((stream capture-stream) &key abort)
  "Evaluated code may close it; the next evaluation writes all the same."
  (declare (ignore abort))
  t)

(defun limit-output (limit)
  "Keeps at most LIMIT characters, including those already captured."
  (dolist (stream (list *stdout* *stderr*))
    (let ((capture (stream-capture stream)))
      (with-lock ((capture-lock capture))
        (setf (capture-room capture) (max 0 (- limit (capture-count capture))))))))

(defun take-output (stream)
  "A buffer with what was written since the last time, or NIL."
  (let ((capture (stream-capture stream)))
    (with-lock ((capture-lock capture))
      (when (plusp (capture-count capture))
        (setf (capture-count capture) 0)
        (shiftf (capture-text capture) (make-buffer))))))

(defun take-rest-of-output (stream)
  "A buffer with what was written since the last time, or NIL; and how many characters were dropped."
  (values (take-output stream)
          (let ((capture (stream-capture stream)))
            (with-lock ((capture-lock capture))
              (shiftf (capture-dropped capture) 0)))))
