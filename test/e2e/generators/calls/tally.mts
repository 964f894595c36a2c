type Reply<T> = Promise<{ data?: T; error?: unknown; response?: Response }>

/** Counts calls of a generated client. The clients are compiled elsewhere, so this file imports nothing. */
export type Tally = {
	/** Fails unless the call succeeds. Returns its data. */
	done<T>(name: string, reply: Reply<T>): Promise<NonNullable<T>>
	/** Fails unless the call is refused with this status and an error text. */
	refused(name: string, status: number, reply: Reply<unknown>): Promise<void>
	/** Fails unless the value has these properties. */
	matches(value: unknown, expected: object | readonly unknown[]): void
}

/** What the calls about videos leave to those about communities. */
export type Account = { email: string; token: string; key: string }
