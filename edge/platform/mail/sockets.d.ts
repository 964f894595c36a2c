/** The parts of node:net and node:tls that Workers offer under `nodejs_compat` and the mailer uses. */
declare module 'node:net' {
	export class Socket {
		once(event: 'connect' | 'secureConnect', listener: () => void): this
		once(event: 'error', listener: (error: Error) => void): this
		off(event: 'error', listener: (error: Error) => void): this
		destroy(): this
	}
	export function connect(options: { host: string; port: number }): Socket
}

declare module 'node:tls' {
	import type { Socket } from 'node:net'
	export function connect(options: { host: string; port: number }): Socket
}
