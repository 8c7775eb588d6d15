(in-package :word-count)

(defun counts (text)
  "A hash table from the words of TEXT to how often they occur."
  (let ((counts (make-hash-table :test #'equal)))
    (dolist (word (words text) counts)
      (incf (gethash word counts 0)))))

(defun most-frequent (text n)
  "The N most frequent words of TEXT, with their counts."
  (let ((sorted (sort (alexandria:hash-table-alist (counts text)) #'< :key #'cdr)))
    (subseq sorted 0 (min n (length sorted)))))
