;;;; Where things are in a text of Lisp code.

(in-package :hawser-worker)

(defun line-and-column (text position)
  "1-based line and 0-based column of the character at POSITION."
  (let ((end (max 0 (min position (length text)))) (line 1) (start 0))
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
