/** The user name and password of a URL. They end at the last `@`, because a password may contain one. */
const USER_AND_PASSWORD = /^([^:]+:\/\/)([^/?#]*)@/

/** The URL of a database server without its passwords, for display. */
export function maskedDatabaseUrl(text: string): string {
  const masked = text.replace(USER_AND_PASSWORD, (_, scheme: string, account: string) => {
    const [user = '', ...password] = account.split(':')
    return `${scheme}${user}${password.length > 0 ? ':••••' : ''}@`
  })
  return masked.replace(/([?&][^=&]*password=)[^&]*/gi, '$1••••')
}
