import { fromBase64, toBase64 } from '../../../platform/tokens/digest.ts'

/** Encrypts the data key of a backup, so that only the identity of this recipient opens it. */
export async function encryptKey(dataKey: string, recipient: string): Promise<string> {
	const { Encrypter } = await loadAge()
	const encrypter = new Encrypter()
	encrypter.addRecipient(recipient)
	return toBase64(await encrypter.encrypt(dataKey))
}

/** Returns the data key, or null if it was encrypted to none of these identities. */
export async function decryptKey(
	encryptedKey: string,
	identities: readonly string[],
): Promise<string | null> {
	const { Decrypter } = await loadAge()
	const decrypter = new Decrypter()
	for (const identity of identities) decrypter.addIdentity(identity)
	try {
		return await decrypter.decrypt(fromBase64(encryptedKey), 'text')
	} catch {
		return null
	}
}

/** Loaded with the first backup that needs it, since most installations have no recipient. */
const loadAge = () => import('age-encryption')
