/** A short text in small muted letters; '' shows nothing. */
export function Hint({ text, id }: { text: string; id?: string }) {
  if (text === '') return null
  return (
    <p class="hint" id={id} safe>
      {text}
    </p>
  )
}
