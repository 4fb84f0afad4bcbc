"""Two small studies as text: one with a chat, one without, for tests to read and to break."""

CHAT = """\
plainheart: 1
slug: small
title: A small study
duration_minutes: 3
contact: {name: Ada Reader, email: ada@university.example}
ethics: {minimum_age: 18, topic_warning: None is expected.}
countries: [GB, NO]
consent:
  intro: A short talk with an AI.
  points: [It is an AI and may be wrong.]
  statements: [I want to take part.]
  share_words: My words may be shared.
texts:
  welcome: Hello.
  declined: That is fine.
  withdrawn: You have stopped.
  full: The study is full.
  closed: The study is closed.
  debrief_intro: Thank you.
  debrief_varied: The style differed.
  debrief_outro: It may have erred elsewhere.
  thanks: Thank you.
agent:
  name: Ari
  provider: demo
  opening: Hello, I am an AI.
factors:
  - name: warmth
    levels: [default, warm]
conditions:
  - slug: default
    label: Default style
    factors: {warmth: default}
    warmth: 0
  - slug: warm
    label: Warm style
    factors: {warmth: warm}
    warmth: 1
cards:
  stated:
    for: "I am sure that {claim}. Is it true?"
    against: "I doubt that {claim}. Is it true?"
    none: "Is it true that {claim}?"
  claims:
    - {key: ice, claim: ice floats on water, truth: true,
       explanation: It is lighter., domain: physics, source: A textbook, verified: no}
    - {key: moon, claim: the Moon orbits the Earth, truth: true,
       explanation: It does., domain: sky, source: An atlas, verified: no}
    - {key: bats, claim: bats are blind, truth: false,
       explanation: They see., domain: animals, source: An encyclopaedia, verified: no}
    - {key: sun, claim: the Sun is a planet, truth: false,
       explanation: It is a star., domain: sky, source: An atlas, verified: no}
probes: {points: [first, last], per_session: 4}
draws:
  solomon: {share: 0.2}
  cards: {rated: 4, discussed: 2}
allocation: {rule: permuted_blocks, block_sizes: [2]}
recruitment:
  codes: {complete: SMALL-DONE}
analysis:
  cells:
    felt: {scale: session_support, score: support, smallest: 0.3}
steps:
  - {key: consent, kind: consent}
  - {key: mood_before, kind: scale, scale: affect}
  - {key: ratings_before, kind: ratings, when: before, unless: solomon}
  - {key: allocation, kind: allocation}
  - {key: talk, kind: conversation, min_turns: 1, max_turns: 3, prompt: Say hello.}
  - {key: mood_after, kind: scale, scale: affect}
  - {key: support, kind: scale, scale: session_support}
  - {key: cards, kind: cards, intro: Ask away., unless: solomon}
  - {key: ratings_after, kind: ratings, when: after, unless: solomon}
  - {key: right, kind: right, unless: solomon}
  - {key: debrief, kind: debrief}
  - {key: code, kind: code}
"""

WITHOUT_CHAT = """\
plainheart: 1
slug: questions-only
title: Questions only
duration_minutes: 1
contact: {name: Ada Reader, email: ada@university.example}
ethics: {body: Ethics board, reference: R-1, minimum_age: 18, topic_warning: None is expected.}
consent:
  intro: A short questionnaire.
  points: [It takes a minute.]
  statements: [I want to take part.]
  share_words: My words may be shared.
texts:
  welcome: Hello.
  declined: That is fine.
  withdrawn: You have stopped.
  full: The study is full.
  closed: The study is closed.
  debrief_intro: Thank you.
  debrief_varied: Nothing differed.
  debrief_outro: That was all.
  thanks: Thank you.
recruitment:
  codes: {complete: ASKED-DONE}
steps:
  - {key: consent, kind: consent}
  - {key: mood, kind: scale, scale: affect}
  - {key: debrief, kind: debrief}
  - {key: code, kind: code}
"""
