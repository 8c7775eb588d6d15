import { connect, createServer, type Server, type Socket } from 'node:net';
import { MessageReader } from '../worker/message-reader.ts';
import { frame, lispString } from '../worker/wire.ts';
import type { WorkerChannel, WorkerEnd, WorkerListener } from '../worker/worker-channel.ts';

export interface SwankAddress {
  readonly host: string;
  readonly port: number;
  /** The secret that Swank expects first, if it has one. */
  readonly secret?: string;
}

/**
 * A worker in an image that runs Swank. Swank is only used to start it: the worker connects back to a port of the server, once
 * for operations and once for interrupts, and shows a token that Swank was given.
 */
export class Attachment implements WorkerChannel {
  readonly #listener: WorkerListener;
  readonly #source: string;
  readonly #token = process.getBuiltinModule('node:crypto').randomBytes(16).toString('hex');
  readonly #server: Server;
  #swank: Socket | undefined;
  #commands: Socket | undefined;
  #control: Socket | undefined;
  #isEnded = false;

  constructor(address: SwankAddress, source: string, listener: WorkerListener) {
    this.#listener = listener;
    this.#source = source;
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.once('error', (error) => this.#end({ kind: 'unstarted', error }));
    this.#server.listen(0, '127.0.0.1', () => this.#askSwank(address));
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

  #askSwank({ host, port, secret }: SwankAddress): void {
    if (this.#isEnded) return;
    const address = this.#server.address();
    if (address === null || typeof address === 'string') return;
    const swank = connect(port, host);
    this.#swank = swank;
    swank.setEncoding('utf8');
    swank.once('error', (error) => this.#fail(`Swank at ${host}:${port} can't be reached: ${error.message}`));
    swank.once('close', () => this.#fail(`Swank at ${host}:${port} closed the connection. Is ~/.slime-secret right?`));
    swank.on('data', (text: string) => {
      const [refusal] = /\(:return \(:abort[^)]*\)|\(:debug .{0,300}/s.exec(text) ?? [];
      if (refusal !== undefined) this.#fail(`Swank at ${host}:${port} could not start the worker: ${refusal}`);
    });
    if (secret !== undefined) swank.write(packet(secret));
    const form = `(swank:interactive-eval ${lispString(bootstrap(address.port, this.#token))})`;
    swank.write(packet(`(:emacs-rex ${form} "COMMON-LISP-USER" t 1)`));
  }

  /** The first line of a connection says who it is; others may connect to the port, too. */
  #accept(socket: Socket): void {
    socket.setEncoding('utf8');
    socket.on('error', () => undefined);
    socket.once('data', (line: string) => {
      if (line === `${this.#token} commands\n` && this.#commands === undefined) this.#serve(socket);
      else if (line === `${this.#token} control\n` && this.#control === undefined) this.#control = socket;
      else socket.destroy();
    });
  }

  #serve(socket: Socket): void {
    this.#commands = socket;
    const reader = new MessageReader(
      (message) => {
        // Both connections are there by now, and Swank has done its part.
        if (message.kind === 'hello') this.#leaveSwank();
        this.#listener.message(message);
      },
      (error) => this.#end({ kind: 'garbage', error }),
    );
    socket.on('data', (text: string) => reader.read(text));
    socket.once('close', () => this.#end({ kind: 'detached' }));
    socket.write(frame(this.#source));
  }

  #leaveSwank(): void {
    this.#server.close();
    this.#swank?.removeAllListeners('close').destroy();
  }

  #fail(message: string): void {
    this.#end({ kind: 'unstarted', error: new Error(message) });
  }

  #end(end: WorkerEnd): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#leaveSwank();
    this.#commands?.destroy();
    this.#control?.destroy();
    this.#listener.ended(end);
  }
}

function packet(text: string): string {
  return `${Buffer.byteLength(text).toString(16).padStart(6, '0')}${text}`;
}

/** Connects back twice, loads the worker from the first connection, and lets it serve there. */
function bootstrap(port: number, token: string): string {
  return `
    (flet ((dial (purpose)
             (let ((socket (make-instance 'sb-bsd-sockets:inet-socket :type :stream :protocol :tcp)))
               (sb-bsd-sockets:socket-connect socket (sb-bsd-sockets:make-inet-address "127.0.0.1") ${port})
               (let ((line (format nil "${token} ~a~%" purpose)))
                 (sb-bsd-sockets:socket-send socket line nil :external-format :latin-1))
               socket)))
      (sb-thread:make-thread
       (lambda ()
         (let* ((control (dial "control"))
                (commands (dial "commands"))
                (wire (sb-sys:make-fd-stream (sb-bsd-sockets:socket-file-descriptor commands)
                                             :input t :buffering :full :external-format :latin-1))
                (text (make-string (parse-integer (read-line wire)))))
           (read-sequence text wire)
           (let ((*error-output* (make-broadcast-stream)) (*standard-output* (make-broadcast-stream)))
             (handler-bind ((warning (function muffle-warning)))
               (with-compilation-unit () (with-input-from-string (source text) (load source)))))
           (funcall (intern "ATTACH" "HAWSER-WORKER") commands control)))
       :name "hawser worker")
      t)`;
}
