;;;; Positions in the text of Lisp code.

(in-package :hawser-worker/source-text)

(defun line-and-column (text position &optional (from 0))
  "1-based line and 0-based column of the character at POSITION, where the text from FROM on begins with line 1."
  (let ((end (max 0 (min position (length text)))) (line 1) (start from))
    (loop for newline = (position #\Newline text :start start :end end)
          while newline
          do (incf line)
             (setf start (1+ newline)))
    (values line (- end start))))

(defun skip-blanks (text start)
  "The position of the first character from START on that is neither white space nor part of a comment."
  (loop with end = (length text)
        with index = start
        while (< index end)
        do (let ((char (char text index)))
             (cond ((or (char<= char #\Space) (eql (char-code char) #xFEFF)) (incf index))
                   ((char= char #\;) (setf index (or (position #\Newline text :start index) end)))
                   ((starts-at-p "#|" text index) (setf index (end-of-block-comment text index)))
                   (t (return index))))
        finally (return end)))

(defun starts-at-p (prefix text index)
  "Whether PREFIX is in TEXT at INDEX."
  (let ((end (+ index (length prefix))))
    (and (<= end (length text)) (string= prefix text :start2 index :end2 end))))

(defun end-of-block-comment (text start)
  (loop with depth = 0
        with index = start
        while (< index (length text))
        do (cond ((starts-at-p "#|" text index) (incf depth) (incf index 2))
                 ((starts-at-p "|#" text index)
                  (incf index 2)
                  (when (zerop (decf depth)) (return index)))
                 (t (incf index)))
        finally (return (length text))))

;;; Finding a subform that the compiler complains about. Where the standard reader would read the text differently (custom
;;; reader macros, #+ and #-), the position is only near.

(defun position-in-text (text start path)
  "Where the subform begins that is reached by the indices in PATH from the form at START; NIL when there is none."
  (loop with position = (skip-blanks text start)
        for index in path
        do (setf position (subform-start text position index))
           (unless position (return nil))
        finally (return position)))

(defun subform-start (text start index)
  "Where the subform with this INDEX begins in the form at START, or NIL."
  (let ((prefix (prefix-length text start)))
    (cond ((plusp prefix) (and (= index 1) (skip-blanks text (+ start prefix))))
          ((not (starts-at-p "(" text start)) nil)
          (t (loop with position = (skip-blanks text (1+ start))
                   when (or (>= position (length text)) (char= (char text position) #\))) do (return nil)
                   when (zerop index) do (return position)
                   do (decf index)
                      (setf position (skip-blanks text (datum-end text position))))))))

(defun prefix-length (text start)
  "How long the reader macro is that stands for an operator before one datum; 0 when there is none."
  (cond ((or (starts-at-p "#'" text start) (starts-at-p ",@" text start)) 2)
        ((some (lambda (prefix) (starts-at-p prefix text start)) '("'" "`" ",")) 1)
        (t 0)))

(defun datum-end (text start)
  "The position after the datum at START."
  (let ((prefix (prefix-length text start)))
    (cond ((>= start (length text)) start)
          ((plusp prefix) (datum-end text (skip-blanks text (+ start prefix))))
          (t (case (char text start)
               (#\( (list-end text (1+ start)))
               (#\) (1+ start))
               (#\" (quoted-end text (1+ start) #\"))
               (#\# (dispatched-end text start))
               (t (token-end text start)))))))

(defun list-end (text start)
  (loop with position = (skip-blanks text start)
        do (cond ((>= position (length text)) (return position))
                 ((char= (char text position) #\)) (return (1+ position)))
                 (t (setf position (skip-blanks text (datum-end text position)))))))

(defun quoted-end (text start mark)
  (loop with position = start
        do (cond ((>= position (length text)) (return (length text)))
                 ((char= (char text position) #\\) (incf position 2))
                 ((char= (char text position) mark) (return (1+ position)))
                 (t (incf position)))))

(defun dispatched-end (text start)
  (let ((next (+ start 1)))
    (cond ((starts-at-p "#\\" text start) (token-end text (min (length text) (+ start 3))))
          ((>= next (length text)) next)
          ((char= (char text next) #\() (list-end text (1+ next)))
          ((alphanumericp (char text next)) (datum-end text (1+ next)))
          (t (datum-end text (skip-blanks text (1+ next)))))))

(defun token-end (text start)
  (loop with position = start
        do (if (>= position (length text))
               (return (length text))
               (let ((char (char text position)))
                 (cond ((char= char #\\) (incf position 2))
                       ((char= char #\|) (setf position (quoted-end text (1+ position) #\|)))
                       ((or (char<= char #\Space) (find char "()\";'`,")) (return position))
                       (t (incf position)))))))
