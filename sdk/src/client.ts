/** A string, or a function that returns the credential for each request. */
export type Credential = string | (() => string | Promise<string>)

export type ClientOptions = {
	/** The address of the installation, such as `https://video.example.com`. */
	baseUrl: string
	/** An API key of an organization. Never use it in a browser. */
	apiKey?: Credential
	/** The token of a session or a member. */
	token?: Credential
	/** Used in place of the global `fetch`. */
	fetch?: typeof fetch
	/** Defaults for the options of each call; see `CallOptions`. */
	timeoutMs?: number
	retries?: number
	headers?: Record<string, string>
	/** Allow http to another host. Anyone on the network can then read the credential. */
	allowInsecureHttp?: boolean
}

/** The checked options that all calls share. */
export type Client = {
	readonly baseUrl: string
	readonly fetch: typeof fetch
	readonly timeoutMs: number
	readonly retries: number
	readonly headers: Readonly<Record<string, string>>
	/** Returns the value of `Authorization`, or undefined without a credential. */
	authorize(): Promise<string | undefined>
}

/** Browsers reject `fetch` with another `this`. */
export const globalFetch: typeof fetch = (input, init) => fetch(input, init)

/** Checks the options. Throws a TypeError that never contains a credential. */
export function createClient({
	baseUrl,
	apiKey,
	token,
	fetch: send = globalFetch,
	timeoutMs = 60_000,
	retries = 2,
	headers = {},
	allowInsecureHttp,
	...unknown
}: ClientOptions): Client {
	const [name] = Object.keys(unknown)
	if (name) throw new TypeError(`there is no option ${name}; remove it`)
	if (apiKey && token) throw new TypeError('apiKey and token are both set; set one')
	const credential = apiKey ?? token
	if (typeof credential === 'string') checkCredential(credential)
	const url = URL.canParse(baseUrl) ? new URL(baseUrl) : ({ protocol: '' } as URL)
	const { protocol, origin, pathname, username, search, hash } = url
	if (!/^https?:$/.test(protocol) || username + search + hash)
		throw new TypeError(
			'baseUrl is not the address of an installation; use one like https://video.example.com',
		)
	if (credential && !allowInsecureHttp) checkEncryption(url)
	return {
		baseUrl: origin + pathname.replace(/\/$/, ''),
		fetch: send,
		timeoutMs,
		retries,
		headers,
		async authorize() {
			if (credential === undefined) return undefined
			return `Bearer ${checkCredential(typeof credential === 'string' ? credential : await credential())}`
		},
	}
}

/** Throws a TypeError if a credential would travel unencrypted to another host. */
export function checkEncryption({ protocol, hostname, origin }: URL): void {
	const isLocal = /^((.+\.)?localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
	if (protocol === 'http:' && !isLocal)
		throw new TypeError(`${origin} would get the credential unencrypted; use https, or set allowInsecureHttp`)
}

/** Checked here, because the error of `fetch` about an invalid header contains the credential. */
function checkCredential(credential: string): string {
	if (/^[\x21-\x7e]+$/.test(credential)) return credential
	throw new TypeError('the credential is empty or contains spaces; copy it again')
}
