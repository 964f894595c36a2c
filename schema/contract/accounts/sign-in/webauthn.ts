import { z } from 'zod'

/** Bytes in base64url, as `PublicKeyCredential.toJSON()` writes them. */
const bytes = (maxLength: number) =>
	z
		.string()
		.regex(/^[\w-]+$/, 'must be base64url')
		.max(maxLength)

/** What `PublicKeyCredential.toJSON()` returns after `navigator.credentials.get`. Other fields are ignored. */
export const PasskeyAssertion = z
	.object({
		id: bytes(1400),
		type: z.literal('public-key'),
		response: z.object({
			clientDataJSON: bytes(4000),
			authenticatorData: bytes(4000),
			signature: bytes(1400),
			userHandle: bytes(100).nullish(),
		}),
	})
	.meta({ id: 'PasskeyAssertion' })
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>

/** What `PublicKeyCredential.toJSON()` returns after `navigator.credentials.create`. Other fields are ignored. */
export const NewPasskeyCredential = z
	.object({
		id: bytes(1400),
		type: z.literal('public-key'),
		response: z.object({
			clientDataJSON: bytes(4000),
			authenticatorData: bytes(4000),
			publicKey: bytes(2000).meta({ description: 'SubjectPublicKeyInfo' }),
			publicKeyAlgorithm: z.int(),
		}),
	})
	.meta({ id: 'NewPasskeyCredential' })
export type NewPasskeyCredential = z.infer<typeof NewPasskeyCredential>
