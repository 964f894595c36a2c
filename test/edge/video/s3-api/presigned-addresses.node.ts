import { type Env, Variables } from '../../../../edge/platform/env.ts'
import { openObjectStorage } from '../../../../edge/platform/storage/object-storage.ts'
import type { Presigned, PresignRequest } from '../../../../edge/platform/storage/presign.ts'
import { deriveSecrets } from '../../../../edge/platform/tokens/secrets.ts'
import { testVariables } from '../../../support/shared/variables.ts'

/** Presigns URLs with the secret of the Worker under test, as that Worker does. */
export function openPresigner(origin: string) {
	const env = { vars: Variables.parse(testVariables), bindings: {}, isProduction: false } as unknown as Env
	const storage = () => openObjectStorage(env, deriveSecrets(testVariables.AUTH_SECRET), origin, Date.now())
	return (request: Partial<PresignRequest> & Pick<PresignRequest, 'method' | 'key'>): Promise<Presigned> =>
		storage().presign({ bucket: 'vault', expiresSeconds: 600, ...request })
}
