export type Mail = {
	to: string
	subject: string
	text: string
	html: string
	/** For the headers by which mail programs offer to unsubscribe (RFC 8058); a POST there is all it takes. */
	unsubscribeUrl?: string | undefined
	/** The same for every try of the same mail; handed on to providers that know what to do with it. */
	idempotencyKey: string
}

export type Mailer = {
	/** Shown in diagnostics and at start: which way mails leave. */
	readonly kind: 'console' | 'smtp' | 'http' | 'binding'
	send(mail: Mail): Promise<void>
}
