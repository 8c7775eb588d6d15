;;; bench.el --- What bench/plugins/measures.mjs asks for  -*- lexical-binding: t; -*-

;;; Code:

(require 'hawser)

(defvar bench-longest 0)
(defvar bench-last (float-time))
(setq hawser-popup nil
      make-backup-files nil
      inhibit-startup-screen t)

(run-with-timer 0.001 0.001
                (lambda ()
                  (setq bench-longest (max bench-longest (- (float-time) bench-last))
                        bench-last (float-time))))

(cl-defmethod hawser--handle ((_method (eql 'bench/longest)) _params)
  "Return the longest time without a timer since this was asked last."
  (prog1 (list :ms (* 1000.0 bench-longest))
    (setq bench-longest 0)))

(cl-defmethod hawser--handle ((_method (eql 'bench/show)) _params)
  "Show the proposal, and return how long that took."
  (let ((began (float-time)))
    (hawser--show (car hawser--proposals))
    (redisplay t)
    (list :ms (* 1000.0 (- (float-time) began)))))

(cl-defmethod hawser--handle ((_method (eql 'bench/cursor)) params)
  "Move the cursor a thousand times in a line of PARAMS, and do what they say."
  (switch-to-buffer hawser--active-buffer)
  (goto-char (point-min))
  (forward-line (1- (plist-get params :line)))
  (let ((work (pcase (plist-get params :what)
                ("event" (lambda () (run-hooks 'post-command-hook)))
                ("pause" #'hawser--send-state)
                (_ #'ignore))))
    (dotimes (turn 1000)
      (goto-char (+ (line-beginning-position) (mod turn 50)))
      (funcall work)))
  nil)

(hawser-mode)

;;; bench.el ends here
