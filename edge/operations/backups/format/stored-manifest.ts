import { z } from 'zod'

/** Beside the manifest: its HMAC-SHA256 under a key derived from the data key. */
const Signed = z.object({ manifest: z.unknown(), mac: z.string() })

/** The manifest of a backup that the installation can read. */
const SealedManifest = Signed.extend({
	/** The data key, sealed under AUTH_SECRET. */
	sealedKey: z.string(),
})

/** The manifest of a backup that only the recipient can read. */
const RecipientManifest = Signed.extend({
	recipient: z.string().regex(/^age1[0-9a-z]{1,2000}$/),
	/** The data key, encrypted to the recipient: a file of age, in base64. */
	encryptedKey: z.string(),
	/**
	 * HMAC-SHA256 of all of the above under AUTH_SECRET. Anyone can encrypt to a recipient, so the data key alone does not
	 * prove where a backup comes from; and the installation has no data key to check the other HMAC with.
	 */
	originMac: z.string(),
})

export type RecipientManifest = z.infer<typeof RecipientManifest>

/** The manifest as it is stored. */
const StoredManifest = z.union([SealedManifest, RecipientManifest])
export type StoredManifest = z.infer<typeof StoredManifest>

/** Parses a manifest; null if the text is not one. */
export function parseStoredManifest(text: string): StoredManifest | null {
	try {
		return StoredManifest.safeParse(JSON.parse(text)).data ?? null
	} catch {
		return null
	}
}
