export function addReloadScript(response: Response, version: string, origin: string): Response
export function allowReload(policy: string, nonce: string, changes: string): string
