;;; with-eglot.el --- Eglot with a language server for TypeScript  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; packages/bridge/src/editor-kit/emacs.test.ts loads this before hands.el.
;; HAWSER_TYPESCRIPT is the program, HAWSER_COLUMNS the units in which it is to count
;; columns; Eglot of Emacs 29 agrees with servers on others than UTF-16.

;;; Code:

(require 'package)
(package-initialize)
(require 'eglot)

(define-derived-mode typescript-mode prog-mode "TypeScript"
  "A mode for Eglot to know the language by.")

(add-to-list 'auto-mode-alist '("\\.ts\\'" . typescript-mode))
(add-to-list 'eglot-server-programs
             `(typescript-mode . (,(getenv "HAWSER_TYPESCRIPT") "--lsp" "--stdio")))
(cl-defmethod eglot-client-capabilities :around ((_server eglot-lsp-server))
  "Offer the units of HAWSER_COLUMNS."
  (append (cl-call-next-method)
          `(:general (:positionEncodings [,(getenv "HAWSER_COLUMNS")]))))
(setq eglot-sync-connect t)
(add-hook 'typescript-mode-hook #'eglot-ensure)
;; Eglot connects after a command, and there are none in batch.
(add-hook 'find-file-hook (lambda () (run-hooks 'post-command-hook)))

;;; with-eglot.el ends here
