export type RuntimeOptions = {
	host: string
	port: number
	/** Folder with worker.js, the Worker in one file. */
	bundle: string
	/** Folder for databases, Durable Objects and buckets. */
	storage: string
	/** Returns how many bytes can still be written to `storage`; by default those of its disk. */
	freeBytes?: () => Promise<number>
	variables: Record<string, string>
	trustsProxy: boolean
	/** A wrangler.toml with bindings, cron expressions and assets. */
	configPath?: string
	/** Receives each log entry of the Worker; by default it is printed. */
	onLog?: (text: string, level: string) => void
	local?: LocalServices
}

/** Services that exist in local runs only. */
export type LocalServices = {
	/** Answers requests below /_dev/ from browsers on this machine. */
	pages?: (request: Request) => Promise<Response>
	/** Receives mails instead of sending them. */
	mailbox?: (request: Request) => Promise<Response>
	/** Logs each request with its path. A path may hold a secret. */
	logsRequests?: boolean
	/** Loopback port for a debugger of the Worker. */
	inspectorPort?: number
	/** Pages reload when `pages` reports a new version. */
	reloadsPages?: boolean
}
