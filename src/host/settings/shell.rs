//! A command line as a shell takes it apart: into simple commands, and those into words.
//!
//! What a variable or a substitution comes to nobody knows before it is run; it stands in the words
//! as it is written.

/// What a backslash hides; before anything else it stays, since a path of Windows has them.
const HIDDEN: &[char] = &[' ', '"', '\'', '\n', ';', '&', '|', '(', ')', '<', '>', '#', '$', '`'];

/// The words so far.
#[derive(Default)]
struct Split {
    commands: Vec<Vec<String>>,
    words: Vec<String>,
    word: Option<String>,
    /// Whether the next word says where something is read or written.
    is_file: bool,
}

/// Returns the words of each simple command in a line, without quotes, comments and redirections.
pub(super) fn commands(line: &str) -> Vec<Vec<String>> {
    let (mut split, mut quote) = (Split::default(), None);
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                split.word.get_or_insert_default(); // it may be empty
            }
            (None | Some('"'), '\\') => match rest.next_if(|next| HIDDEN.contains(next)) {
                Some('\n') => {}
                hidden => split.push(hidden.unwrap_or(c)),
            },
            (None, '#') if split.word.is_none() => {
                while rest.next_if(|next| *next != '\n').is_some() {}
            }
            (None, '<' | '>') => {
                split.redirect();
                while rest.next_if(|next| ['<', '>', '&', '|'].contains(next)).is_some() {}
            }
            (None, ';' | '&' | '|' | '(' | ')' | '\n') => split.end_command(),
            (None, _) if c.is_whitespace() => split.end_word(),
            _ => split.push(c),
        }
    }
    split.end_command();
    split.commands
}

impl Split {
    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take()
            && !std::mem::take(&mut self.is_file)
        {
            self.words.push(word);
        }
    }

    fn redirect(&mut self) {
        // A number just before it says what is read or written.
        self.word.take_if(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        self.end_word();
        self.is_file = true;
    }

    fn end_command(&mut self) {
        self.end_word();
        self.is_file = false;
        self.commands.push(std::mem::take(&mut self.words));
    }
}
