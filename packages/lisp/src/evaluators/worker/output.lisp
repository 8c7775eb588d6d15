;;;; What evaluated code writes to the standard streams, from whatever thread, kept within a limit until it is sent.

(in-package :hawser-worker)

(defclass capture-stream (fundamental-character-output-stream)
  ((lock :initform (make-lock) :reader capture-lock)
   (buffer :initform (make-string 1024) :accessor capture-buffer)
   (fill :initform 0 :accessor capture-fill)
   (room :initform 100000 :accessor capture-room)
   (dropped :initform 0 :accessor capture-dropped)
   (column :initform 0 :accessor capture-column)))

(defvar *stdout* (make-instance 'capture-stream))
(defvar *stderr* (make-instance 'capture-stream))

(defmethod stream-write-char ((stream capture-stream) char)
  (with-lock ((capture-lock stream))
    (cond ((plusp (capture-room stream))
           (reserve stream 1)
           (setf (char (capture-buffer stream) (capture-fill stream)) char)
           (incf (capture-fill stream))
           (decf (capture-room stream)))
          (t (incf (capture-dropped stream))))
    (if (char= char #\Newline)
        (setf (capture-column stream) 0)
        (incf (capture-column stream))))
  char)

(defmethod stream-write-string ((stream capture-stream) string &optional (start 0) end)
  (let ((end (or end (length string))))
    (with-lock ((capture-lock stream))
      (let ((kept (min (- end start) (capture-room stream))))
        (reserve stream kept)
        (replace (capture-buffer stream) string
                 :start1 (capture-fill stream) :start2 start :end2 (+ start kept))
        (incf (capture-fill stream) kept)
        (decf (capture-room stream) kept)
        (incf (capture-dropped stream) (- end start kept)))
      (let ((newline (position #\Newline string :from-end t :start start :end end)))
        (if newline
            (setf (capture-column stream) (- end newline 1))
            (incf (capture-column stream) (- end start))))))
  string)

(defmethod stream-line-column ((stream capture-stream))
  (capture-column stream))

(defmethod stream-start-line-p ((stream capture-stream))
  (zerop (capture-column stream)))

;;; Evaluated code may close what it likes; the next evaluation writes all the same.
(define-close-method capture-stream)

(defun reserve (stream count)
  (let* ((buffer (capture-buffer stream))
         (needed (+ (capture-fill stream) count)))
    (when (> needed (length buffer))
      (let ((larger (make-string (max needed (* 2 (length buffer))))))
        (replace larger buffer :end2 (capture-fill stream))
        (setf (capture-buffer stream) larger)))))

(defun limit-output (limit)
  "Begins a new account: LIMIT characters may come, together with what is there already."
  (dolist (stream (list *stdout* *stderr*))
    (with-lock ((capture-lock stream))
      (setf (capture-room stream) (max 0 (- limit (capture-fill stream)))))))

(defun take-output (stream)
  "What came since the last time, or NIL."
  (with-lock ((capture-lock stream))
    (when (plusp (capture-fill stream))
      (prog1 (subseq (capture-buffer stream) 0 (capture-fill stream))
        (setf (capture-fill stream) 0)
        (when (> (length (capture-buffer stream)) 65536)
          (setf (capture-buffer stream) (make-string 1024)))))))

(defun take-rest-of-output (stream)
  "What came since the last time, and how much was dropped since the account began."
  (values (or (take-output stream) "")
          (with-lock ((capture-lock stream))
            (shiftf (capture-dropped stream) 0))))
