import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

export const ISSUER = 'https://id.example.org'
export const CLIENT = { clientId: 'club client', clientSecret: 'a secret: with ä & colon' }

const ACCESS_TOKEN = 'access-token'

type Grant = { nonce: string; challenge: string; redirectUri: string }
type Person = { sub: string; name?: unknown; email?: unknown; email_verified?: unknown }

const base64url = (bytes: ArrayBuffer) =>
	btoa(String.fromCharCode(...new Uint8Array(bytes)))
		.replaceAll('+', '-')
		.replaceAll('/', '_')
		.replaceAll('=', '')

/** An OpenID provider with codes, PKCE and signed ID tokens, whose answers a test can falsify. */
export async function openProvider(now: () => number, issuer = ISSUER) {
	const grants = new Map<string, Grant>()
	const seen: string[] = []
	let keyId = 0
	const newKey = async () => ({ kid: `key-${++keyId}`, ...(await generateKeyPair('ES256')) })
	let key = await newKey()
	const provider = {
		person: { sub: 'ada', name: 'Ada', email: 'ada@example.org', email_verified: true } as Person,
		/** Changes the claims of the next ID tokens. */
		claims: {} as JWTPayload,
		/** Makes ID tokens in another way. */
		signWith: undefined as ((claims: JWTPayload) => Promise<string> | string) | undefined,
		/** Replaces the answer of a path. */
		accessToken: ACCESS_TOKEN,
		answers: new Map<string, () => Response>(),
		discovery: {} as object,
		/** The response of the userinfo endpoint, if the discovery document names one. */
		userInfo: {} as object,
		seen,
		/** What a person's browser does at the provider: signs in, and gets the address to return to. */
		async authorize(location: string): Promise<URL> {
			const asked = new URL(location).searchParams
			const value = (name: string) => asked.get(name) ?? ''
			if (value('client_id') !== CLIENT.clientId || value('code_challenge_method') !== 'S256')
				throw new Error(`the provider refuses ${location}`)
			const code = crypto.randomUUID()
			const redirectUri = value('redirect_uri')
			grants.set(code, { nonce: value('nonce'), challenge: value('code_challenge'), redirectUri })
			const back = new URL(redirectUri)
			back.searchParams.set('code', code)
			back.searchParams.set('state', value('state'))
			back.searchParams.set('session_state', 'ignored')
			return back
		},
		async rotateKeys() {
			key = await newKey()
		},
		async handle(url: string, init: RequestInit): Promise<Response> {
			const { pathname } = new URL(url)
			seen.push(pathname)
			const answer = provider.answers.get(pathname)
			if (answer) return answer()
			if (pathname === '/.well-known/openid-configuration')
				return Response.json({
					issuer,
					authorization_endpoint: `${issuer}/authorize`,
					token_endpoint: `${issuer}/token`,
					jwks_uri: `${issuer}/keys`,
					...provider.discovery,
				})
			if (pathname === '/keys')
				return Response.json({
					keys: [{ ...(await exportJWK(key.publicKey)), kid: key.kid, alg: 'ES256', use: 'sig' }],
				})
			if (pathname === '/userinfo') {
				const isAllowed = new Request(url, init).headers.get('authorization') === `Bearer ${ACCESS_TOKEN}`
				return isAllowed ? Response.json(provider.userInfo) : new Response(null, { status: 401 })
			}
			if (pathname === '/token') return redeem(new Request(url, init))
			return new Response(null, { status: 404 })
		},
	}

	async function redeem(request: Request): Promise<Response> {
		const body = new URLSearchParams(await request.text())
		const encoded = [CLIENT.clientId, CLIENT.clientSecret].map((text) =>
			new URLSearchParams({ '': text }).toString().slice(1),
		)
		const grant = grants.get(body.get('code') ?? '')
		grants.delete(body.get('code') ?? '')
		const challenge = base64url(
			await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body.get('code_verifier') ?? '')),
		)
		const { token_endpoint_auth_methods_supported: methods = [] } = provider.discovery as {
			token_endpoint_auth_methods_supported?: string[]
		}
		const sent = [request.headers.get('authorization'), body.get('client_id'), body.get('client_secret')]
		const expected = methods.includes('client_secret_post')
			? [null, CLIENT.clientId, CLIENT.clientSecret]
			: [`Basic ${btoa(encoded.join(':'))}`, null, null]
		const isAllowed =
			sent.every((value, i) => value === expected[i]) &&
			grant?.challenge === challenge &&
			grant.redirectUri === body.get('redirect_uri')
		if (!grant || !isAllowed) return Response.json({ error: 'invalid_grant' }, { status: 400 })
		const seconds = Math.floor(now() / 1_000)
		const claims = {
			iss: issuer,
			aud: CLIENT.clientId,
			iat: seconds,
			exp: seconds + 300,
			nonce: grant.nonce,
			...provider.person,
			...provider.claims,
		}
		const signed = provider.signWith
			? await provider.signWith(claims)
			: await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: key.kid }).sign(key.privateKey)
		return Response.json({ access_token: provider.accessToken, token_type: 'Bearer', id_token: signed })
	}

	return provider
}
