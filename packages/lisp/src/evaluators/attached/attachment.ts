import { connect, createServer, type Server, type Socket } from 'node:net';
import { MessageReader } from '../worker/message-reader.ts';
import { frame, lispString } from '../worker/wire.ts';
import type { WorkerChannel, WorkerEnd, WorkerListener } from '../worker/worker-channel.ts';

/** Where the editor of a user connects to an image: SLIME to Swank, Sly to Slynk. They speak the same protocol. */
export interface ImageAddress {
  readonly server: 'Swank' | 'Slynk';
  readonly host: string;
  readonly port: number;
  /** The secret that the server expects first, if it has one. */
  readonly secret?: string;
}

/**
 * A worker in an image that runs Swank or Slynk, which is only used to start it: the worker connects back to a port of this
 * process, once for operations and once for interrupts, and shows a token that it was given.
 */
export class Attachment implements WorkerChannel {
  readonly #listener: WorkerListener;
  readonly #source: string;
  readonly #token = process.getBuiltinModule('node:crypto').randomBytes(16).toString('hex');
  readonly #server: Server;
  #editorServer: Socket | undefined;
  #commands: Socket | undefined;
  #control: Socket | undefined;
  #isEnded = false;
  #connectingBack: NodeJS.Timeout | undefined;

  constructor(address: ImageAddress, source: string, listener: WorkerListener) {
    this.#listener = listener;
    this.#source = source;
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.once('error', (error) => this.#end({ kind: 'unstarted', error }));
    this.#server.listen(0, '127.0.0.1', () => this.#startWorker(address));
  }

  send(command: string): void {
    this.#commands?.write(command);
  }

  sendAtOnce(command: string): void {
    this.#control?.write(command);
  }

  kill(): void {
    this.#end({ kind: 'detached' });
  }

  #startWorker({ server, host, port, secret }: ImageAddress): void {
    if (this.#isEnded) return;
    const address = this.#server.address();
    if (address === null || typeof address === 'string') return;
    const name = `${server} at ${host}:${port}`;
    const socket = connect(port, host);
    this.#editorServer = socket;
    socket.setEncoding('utf8');
    socket.once('error', (error) => this.#fail(`${name} can't be reached: ${error.message}`));
    socket.once('close', () => this.#fail(`${name} closed the connection. Is ${SECRET_FILES[server]} right?`));
    socket.on('data', (text: string) => {
      const [refusal] = /\(:return \(:abort[^)]*\)|\(:(?:debug|reader-error) .{0,300}/s.exec(text) ?? [];
      if (refusal !== undefined) this.#fail(`${name} could not start the worker: ${refusal}`);
    });
    // With a wrong secret, both say nothing and wait in the debugger.
    this.#connectingBack = setTimeout(
      () => this.#fail(`${name} does not answer. Is ${SECRET_FILES[server]} right?`),
      CONNECT_BACK_MS,
    );
    if (secret !== undefined) socket.write(packet(secret));
    // Names nothing of the server's, so it is the same for both.
    const form = `(cl:eval (cl:read-from-string ${lispString(bootstrap(address.port, this.#token))}))`;
    socket.write(packet(`(:emacs-rex ${form} "COMMON-LISP-USER" t 1)`));
  }

  /** The first line of a connection says who it is; others may connect to the port, too. */
  #accept(socket: Socket): void {
    socket.setEncoding('utf8');
    socket.on('error', () => undefined);
    socket.once('data', (line: string) => {
      if (line.startsWith(this.#token)) clearTimeout(this.#connectingBack);
      if (line === `${this.#token} commands\n` && this.#commands === undefined) this.#serve(socket);
      else if (line === `${this.#token} control\n` && this.#control === undefined) this.#control = socket;
      else socket.destroy();
    });
  }

  #serve(socket: Socket): void {
    this.#commands = socket;
    const reader = new MessageReader(
      (message) => {
        // Both connections are there by now, and Swank or Slynk has done its part.
        if (message.kind === 'hello') this.#leaveEditorServer();
        this.#listener.message(message);
      },
      (error) => this.#end({ kind: 'garbage', error }),
    );
    socket.on('data', (text: string) => reader.read(text));
    socket.once('close', () => this.#end({ kind: 'detached' }));
    socket.write(frame(this.#source));
  }

  #leaveEditorServer(): void {
    this.#server.close();
    this.#editorServer?.removeAllListeners('close').destroy();
  }

  #fail(message: string): void {
    this.#end({ kind: 'unstarted', error: new Error(message) });
  }

  #end(end: WorkerEnd): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#connectingBack);
    this.#leaveEditorServer();
    this.#commands?.destroy();
    this.#control?.destroy();
    this.#listener.ended(end);
  }
}

/** The worker connects back before it is loaded. */
const CONNECT_BACK_MS = 10_000;

/** The files in the user's home that the servers and their clients read the secret from. */
export const SECRET_FILES = { Swank: '~/.slime-secret', Slynk: '~/.sly-secret' } as const;

function packet(text: string): string {
  return `${Buffer.byteLength(text).toString(16).padStart(6, '0')}${text}`;
}

/**
 * Connects back twice, loads the worker from the first connection, and lets it serve there. Loading takes a lock of the image:
 * until a worker is sealed, its packages have names.
 */
function bootstrap(port: number, token: string): string {
  return `
    (flet ((dial (purpose)
             (let ((socket (make-instance 'sb-bsd-sockets:inet-socket :type :stream :protocol :tcp)))
               (sb-bsd-sockets:socket-connect socket (sb-bsd-sockets:make-inet-address "127.0.0.1") ${port})
               (let ((line (format nil "${token} ~a~%" purpose)))
                 (sb-bsd-sockets:socket-send socket line nil :external-format :latin-1))
               socket))
           (loaded-worker (commands)
             (let* ((wire (sb-sys:make-fd-stream (sb-bsd-sockets:socket-file-descriptor commands)
                                                 :input t :buffering :full :external-format :latin-1))
                    (text (make-string (parse-integer (read-line wire))))
                    (lock (getf (sb-ext:atomic-update (symbol-plist :hawser)
                                                      (lambda (list) (or list (list :lock (sb-thread:make-mutex)))))
                                :lock)))
               (read-sequence text wire)
               (sb-thread:with-recursive-lock (lock)
                 (let ((*error-output* (make-broadcast-stream)) (*standard-output* (make-broadcast-stream)))
                   (handler-bind ((warning (function muffle-warning)))
                     (with-compilation-unit () (with-input-from-string (source text) (load source)))))
                 (prog1 (fdefinition (find-symbol "ATTACH" "HAWSER-WORKER"))
                   (funcall (find-symbol "SEAL" "HAWSER-WORKER")))))))
      (sb-thread:make-thread
       (lambda ()
         (let* ((control (dial "control"))
                (commands (dial "commands"))
                (worker (handler-case (loaded-worker commands)
                          (error (condition)
                            (let ((line (format nil "~a~%" condition)))
                              (sb-bsd-sockets:socket-send commands line nil :external-format :utf-8))
                            (sb-thread:abort-thread)))))
           (funcall worker commands control)))
       :name "hawser worker")
      t)`;
}
