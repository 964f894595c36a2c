export type Mail = {
	to: string
	subject: string
	text: string
	html: string
	/** The URL for one-click unsubscription (RFC 8058): a POST to it is enough. */
	unsubscribeUrl?: string | undefined
	/** Equal for every attempt at the same mail. Passed to providers that support it. */
	idempotencyKey: string
}

export type Mailer = {
	/** The transport, as diagnostics and the startup banner show it. */
	readonly kind: 'console' | 'smtp' | 'http' | 'binding'
	send(mail: Mail): Promise<void>
}
